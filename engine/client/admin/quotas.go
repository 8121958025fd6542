package admin

import (
	"math"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// AlterQuotas is kafka-configs --alter --entity-type clients: bytes per second,
// 0 for none, -1 to leave a quota as it is.
type AlterQuotas struct {
	Token   int32
	Client  string // client.id; "" is --entity-default
	Produce int64
	Consume int64
}

func (o AlterQuotas) token() int32 { return o.Token }

func (o AlterQuotas) what() string {
	if o.Client == "" {
		return "alter quotas of clients"
	}
	return "alter quotas of client " + o.Client
}

func (o AlterQuotas) request() kmsg.Request {
	r := kmsg.NewPtrAlterClientQuotasRequest()
	r.Version = 1
	e := kmsg.NewAlterClientQuotasRequestEntry()
	who := kmsg.NewAlterClientQuotasRequestEntryEntity()
	who.Type = metadata.QuotaClientID
	if o.Client != "" {
		who.Name = kmsg.StringPtr(o.Client)
	}
	e.Entity = append(e.Entity, who)
	for _, q := range []struct {
		key  string
		rate int64
	}{{metadata.QuotaProduce, o.Produce}, {metadata.QuotaConsume, o.Consume}} {
		if q.rate >= 0 {
			op := kmsg.NewAlterClientQuotasRequestEntryOp()
			op.Key, op.Value, op.Remove = q.key, math.Float64frombits(metadata.QuotaBits(q.rate)), q.rate == 0
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
