package controller

import (
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// alterQuotas handles AlterClientQuotas (KIP-546; ClientQuotaControlManager.
// alterClientQuotas). Left out: users, request_percentage,
// controller_mutation_rate.
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
		made, f := quotaRecords(e)
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

func quotaRecords(e *kmsg.AlterClientQuotasRequestEntry) (recs []metadata.Record, f *fault) {
	if len(e.Entity) != 1 || e.Entity[0].Type != metadata.QuotaClientID {
		return nil, failf(kafka.InvalidRequest, "Invalid client quota entity: only client-id is part of this cluster")
	}
	if n := e.Entity[0].Name; n != nil && *n == "" {
		return nil, failf(kafka.InvalidRequest, "Empty %s not supported", metadata.QuotaClientID)
	}
	for _, o := range e.Ops {
		switch {
		case o.Key != metadata.QuotaProduce && o.Key != metadata.QuotaConsume:
			return nil, failf(kafka.InvalidRequest, "Invalid configuration key %s", o.Key)
		case o.Remove:
			recs = append(recs, metadata.NewClientQuota(e.Entity[0].Name, o.Key, 0))
		case o.Value < 1 || o.Value > 1<<50:
			return nil, failf(kafka.InvalidRequest, "Quota %s must be greater than 0", o.Key)
		default:
			recs = append(recs, metadata.NewClientQuota(e.Entity[0].Name, o.Key, int64(o.Value)))
		}
	}
	return recs, nil
}

// quotaText prints a quota's change for a note.
func quotaText(r *metadata.ClientQuotaRecord) string {
	who := "<default>"
	if len(r.Entity) > 0 && r.Entity[0].Name != nil {
		who = *r.Entity[0].Name
	}
	s := "client-id " + who + " " + r.Key + "="
	if !r.Remove {
		s += strconv.FormatInt(metadata.QuotaRate(r.Bits), 10)
	}
	return s
}
