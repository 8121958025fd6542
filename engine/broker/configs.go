package broker

import (
	"slices"
	"strconv"

	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
)

// DescribeConfigs (API key 32), versions 1 to 4, of topics and brokers.
// Left out: synonyms, documentation.

func itoa(n int64) string { return strconv.FormatInt(n, 10) }

func (b *Broker) handleDescribeConfigs(in *sim.Input, req *kmsg.DescribeConfigsRequest, out *sim.Out) {
	resp := &kmsg.DescribeConfigsResponse{Version: req.Version}
	for i := range req.Resources {
		resp.Resources = append(resp.Resources, b.describeConfigs(&req.Resources[i]))
	}
	out.Reply(in.Conn, in.Corr, resp)
}

func (b *Broker) describeConfigs(q *kmsg.DescribeConfigsRequestResource) kmsg.DescribeConfigsResponseResource {
	r := kmsg.DescribeConfigsResponseResource{ResourceType: q.ResourceType, ResourceName: q.ResourceName}
	var scope kafka.Scope
	switch metadata.ResourceType(q.ResourceType) {
	case metadata.ResourceTopic:
		scope = kafka.ScopeTopic
		if b.img.Topic(q.ResourceName) == nil {
			r.ErrorCode = int16(kafka.UnknownTopicOrPartition)
			return r
		}
	case metadata.ResourceBroker:
		scope = kafka.ScopeBroker
		if q.ResourceName != metadata.BrokerResource(b.cfg.ID) {
			r.ErrorCode = int16(kafka.InvalidRequest) // a broker describes itself only
			return r
		}
	default:
		r.ErrorCode = int16(kafka.InvalidRequest)
		return r
	}
	for _, c := range kafka.Configs(scope) {
		if q.ConfigNames != nil && !slices.Contains(q.ConfigNames, c.Name) {
			continue
		}
		value, source := "", metadata.DefaultConfig
		if scope == kafka.ScopeTopic {
			value, source = b.img.Resolve(q.ResourceName, b.cfg.ID, b.cfg.Static, c.Name)
		} else {
			value, source = b.img.ResolveBroker(b.cfg.ID, b.cfg.Static, c.Name)
		}
		r.Configs = append(r.Configs, kmsg.DescribeConfigsResponseResourceConfig{
			Name: c.Name, Value: &value, Source: kmsg.ConfigSource(source),
			ReadOnly: scope == kafka.ScopeBroker && c.Dynamic == kafka.ReadOnly,
		})
	}
	return r
}
