package controller

import (
	"math"
	"slices"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// alterQuotas handles AlterClientQuotas (KIP-546; ClientQuotaControlManager.
// alterClientQuotas). Left out: connection_creation_rate, which is for IP addresses.
func (c *Controller) alterQuotas(req *kmsg.AlterClientQuotasRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.AlterClientQuotasResponse)
	var recs []metadata.Record
	for i := range req.Entries {
		e := &req.Entries[i]
		r := kmsg.NewAlterClientQuotasResponseEntry()
		for _, x := range e.Entity {
			y := kmsg.NewAlterClientQuotasResponseEntryEntity()
			y.Type, y.Name = x.Type, x.Name
			r.Entity = append(r.Entity, y)
		}
		made, f := c.quotaRecords(e)
		if f != nil {
			r.ErrorCode, r.ErrorMessage = int16(f.code), message(f.msg)
		}
		recs = append(recs, made...)
		resp.Entries = append(resp.Entries, r)
	}
	if !req.ValidateOnly {
		c.append(out, recs, why{})
	}
	return resp
}

// quotaRecords checks an entry and returns the records for what it changes.
func (c *Controller) quotaRecords(e *kmsg.AlterClientQuotasRequestEntry) (recs []metadata.Record, f *fault) {
	var user, client metadata.QuotaPart
	for _, x := range e.Entity {
		part := metadata.QuotaPart{Set: true}
		if x.Name != nil {
			part.Name = *x.Name
		}
		switch {
		case x.Name != nil && *x.Name == "":
			return nil, failf(kafka.InvalidRequest, "Empty %s not supported", x.Type)
		case x.Type == metadata.QuotaUser && !user.Set:
			user = part
		case x.Type == metadata.QuotaClientID && !client.Set:
			client = part
		case x.Type == metadata.QuotaUser || x.Type == metadata.QuotaClientID:
			return nil, failf(kafka.InvalidRequest, "Invalid client quota entity: %s is there twice", x.Type)
		default:
			return nil, failf(kafka.InvalidRequest, "Unhandled client quota entity type: %s", x.Type)
		}
	}
	if len(e.Entity) == 0 {
		return nil, failf(kafka.InvalidRequest, "Invalid empty client quota entity")
	}
	set := c.quotasOf(user, client)
	for _, o := range e.Ops {
		kind, known := metadata.QuotaKindOf(o.Key)
		limit := int64(0)
		switch {
		case !known:
			return nil, failf(kafka.InvalidRequest, "Invalid configuration key %s", o.Key)
		case o.Remove:
		case !(o.Value > 0): // not a number neither
			return nil, failf(kafka.InvalidRequest, "Quota %s must be greater than 0", o.Key)
		case kind.Bytes() && o.Value > quotaMost || o.Value > quotaMost/1_000_000 && !kind.Bytes():
			return nil, failf(kafka.InvalidRequest, "Proposed value for %s is too large", o.Key)
		case kind.Bytes() && o.Value != math.Trunc(o.Value):
			return nil, failf(kafka.InvalidRequest, "%s cannot be a fractional value.", o.Key)
		default:
			limit = kind.Limit(math.Float64bits(o.Value))
		}
		if limit != set[kind] {
			set[kind] = limit
			recs = append(recs, metadata.NewClientQuota(user, client, kind, limit))
		}
	}
	return recs, nil
}

// quotaMost is the largest rate that is kept exactly; Kafka's is 2^63 - 1.
const quotaMost = 1 << 50

// quotasOf are the limits of an entity as they stand.
func (c *Controller) quotasOf(user, client metadata.QuotaPart) (limits [metadata.QuotaKinds]int64) {
	i := slices.IndexFunc(c.head.Quotas, func(q metadata.ClientQuota) bool { return q.User == user && q.Client == client })
	if i >= 0 {
		limits = c.head.Quotas[i].Limits
	}
	return limits
}

// quotaText prints a quota's change for a note.
func quotaText(r *metadata.ClientQuotaRecord) string {
	s := ""
	for _, e := range r.Entity {
		who := "<default>"
		if e.Name != nil {
			who = *e.Name
		}
		s += e.EntityType + " " + who + " "
	}
	s += r.Key + "="
	if kind, ok := metadata.QuotaKindOf(r.Key); ok && !r.Remove {
		s += kind.Text(kind.Limit(r.Bits))
	}
	return s
}
