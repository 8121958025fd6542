package broker

import (
	"math"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// DescribeClientQuotas (API key 48), versions 0 and 1 (KIP-546;
// ClientQuotasImage.describe): each broker answers by its own image.

// How a component of a filter matches (ClientQuotaFilterComponent).
const (
	matchExact kmsg.QuotasMatchType = iota
	matchDefault
	matchAny
)

func (b *Broker) handleDescribeQuotas(in *sim.Input, req *kmsg.DescribeClientQuotasRequest, out *sim.Out) {
	resp := &kmsg.DescribeClientQuotasResponse{Version: req.Version}
	if why := badFilter(req); why != "" {
		resp.ErrorCode, resp.ErrorMessage = int16(kafka.InvalidRequest), &why
		out.Reply(in.Conn, in.Corr, resp)
		return
	}
	for i := range b.img.Quotas {
		if q := &b.img.Quotas[i]; quotaMatches(q, req) {
			resp.Entries = append(resp.Entries, quotaEntry(q))
		}
	}
	out.Reply(in.Conn, in.Corr, resp)
}

// badFilter says what is wrong with a filter, "" if nothing is.
func badFilter(req *kmsg.DescribeClientQuotasRequest) string {
	seen := map[string]bool{}
	for i := range req.Components {
		c := &req.Components[i]
		switch {
		case c.EntityType == "":
			return "Invalid empty entity type."
		case seen[c.EntityType]:
			return "Entity type " + c.EntityType + " cannot appear more than once in the filter."
		case c.EntityType != metadata.QuotaUser && c.EntityType != metadata.QuotaClientID:
			return "Unsupported entity type " + c.EntityType
		case c.MatchType == matchExact && c.Match == nil:
			return "Request specified MATCH_TYPE_EXACT, but set match string to null."
		case c.MatchType == matchDefault && c.Match != nil:
			return "Request specified MATCH_TYPE_DEFAULT, but also specified a match string."
		case c.MatchType == matchAny && c.Match != nil:
			return "Request specified MATCH_TYPE_SPECIFIED, but also specified a match string."
		case c.MatchType < matchExact || c.MatchType > matchAny:
			return "Unknown match type " + itoa(int64(c.MatchType))
		}
		seen[c.EntityType] = true
	}
	return ""
}

// quotaMatches reports whether an entity passes a filter: every component must
// match, and with strict there may be no other part.
func quotaMatches(q *metadata.ClientQuota, req *kmsg.DescribeClientQuotasRequest) bool {
	parts := 0
	for _, set := range [2]bool{q.User.Set, q.Client.Set} {
		if set {
			parts++
		}
	}
	for i := range req.Components {
		c := &req.Components[i]
		p := q.User
		if c.EntityType == metadata.QuotaClientID {
			p = q.Client
		}
		switch {
		case !p.Set, c.MatchType == matchDefault && p.Name != "", c.MatchType == matchExact && (p.Name == "" || p.Name != *c.Match):
			return false
		}
	}
	return !req.Strict || parts == len(req.Components)
}

func quotaEntry(q *metadata.ClientQuota) kmsg.DescribeClientQuotasResponseEntry {
	e := kmsg.NewDescribeClientQuotasResponseEntry()
	for _, p := range []struct {
		of   string
		part metadata.QuotaPart
	}{{metadata.QuotaUser, q.User}, {metadata.QuotaClientID, q.Client}} {
		if !p.part.Set {
			continue
		}
		x := kmsg.NewDescribeClientQuotasResponseEntryEntity()
		if x.Type = p.of; p.part.Name != "" {
			x.Name = kmsg.StringPtr(p.part.Name)
		}
		e.Entity = append(e.Entity, x)
	}
	for k, limit := range q.Limits {
		if limit > 0 {
			v := kmsg.NewDescribeClientQuotasResponseEntryValue()
			kind := metadata.QuotaKind(k)
			v.Key, v.Value = kind.Key(), math.Float64frombits(kind.Bits(limit))
			e.Values = append(e.Values, v)
		}
	}
	return e
}
