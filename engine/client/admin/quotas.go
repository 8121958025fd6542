package admin

import (
	"math"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AlterQuotas is kafka-configs --alter for the entity types users and clients.
type AlterQuotas struct {
	Token        int32
	User, Client metadata.QuotaPart // one of them at least is set
	// Limits are by kind, in its unit: 0 for none, -1 to leave one as it is.
	Limits [metadata.QuotaKinds]int64
}

func (o AlterQuotas) token() int32 { return o.Token }

func (o AlterQuotas) what() string {
	q := metadata.ClientQuota{User: o.User, Client: o.Client}
	return "alter quotas of " + q.Describe()
}

func (o AlterQuotas) request() kmsg.Request {
	r := kmsg.NewPtrAlterClientQuotasRequest()
	r.Version = 1
	e := kmsg.NewAlterClientQuotasRequestEntry()
	for _, p := range []struct {
		of   string
		part metadata.QuotaPart
	}{{metadata.QuotaUser, o.User}, {metadata.QuotaClientID, o.Client}} {
		if !p.part.Set {
			continue
		}
		who := kmsg.NewAlterClientQuotasRequestEntryEntity()
		if who.Type = p.of; p.part.Name != "" {
			who.Name = kmsg.StringPtr(p.part.Name)
		}
		e.Entity = append(e.Entity, who)
	}
	for k, limit := range o.Limits {
		if limit >= 0 {
			kind := metadata.QuotaKind(k)
			op := kmsg.NewAlterClientQuotasRequestEntryOp()
			op.Key, op.Value, op.Remove = kind.Key(), math.Float64frombits(kind.Bits(limit)), limit == 0
			e.Ops = append(e.Ops, op)
		}
	}
	r.Entries = append(r.Entries, e)
	return r
}

func (o AlterQuotas) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.AlterClientQuotasResponse)
	if r == nil || len(r.Entries) == 0 {
		return kafka.UnknownServerError, "The response names no client."
	}
	return said(r.Entries[0].ErrorCode, r.Entries[0].ErrorMessage)
}
