package admin

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// Reassign is kafka-reassign-partitions: --execute, or --cancel without
// replicas.
type Reassign struct {
	Token    int32
	TP       kafka.TopicPartition
	Replicas []kafka.NodeID // in their order, the first is preferred; nil cancels
}

func (o Reassign) token() int32 { return o.Token }

func (o Reassign) what() string {
	if o.Replicas == nil {
		return "cancel reassignment of " + o.TP.String()
	}
	s := make([]string, len(o.Replicas))
	for i, n := range o.Replicas {
		s[i] = strconv.Itoa(int(n))
	}
	return "reassign " + o.TP.String() + " to " + strings.Join(s, ",")
}

func (o Reassign) request() kmsg.Request {
	r := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	r.Version, r.TimeoutMillis, r.AllowReplicationFactorChange = 1, timeoutMillis, true
	p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
	p.Partition = o.TP.Partition
	for _, n := range o.Replicas {
		p.Replicas = append(p.Replicas, int32(n))
	}
	t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
	t.Topic = o.TP.Topic
	t.Partitions = append(t.Partitions, p)
	r.Topics = append(r.Topics, t)
	return r
}

func (o Reassign) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.AlterPartitionAssignmentsResponse)
	switch {
	case r == nil:
		return kafka.UnknownServerError, ""
	case r.ErrorCode != 0:
		return said(r.ErrorCode, r.ErrorMessage)
	case len(r.Topics) == 0 || len(r.Topics[0].Partitions) == 0:
		return kafka.UnknownServerError, "The response names no partition."
	}
	p := &r.Topics[0].Partitions[0]
	return said(p.ErrorCode, p.ErrorMessage)
}

// The throttle of kafka-reassign-partitions (KIP-73): each broker that gives or
// takes part gets a rate in bytes per second, each topic the lists of replicas
// that it counts for.
const (
	leaderRate       = "leader.replication.throttled.rate"
	followerRate     = "follower.replication.throttled.rate"
	leaderReplicas   = "leader.replication.throttled.replicas"
	followerReplicas = "follower.replication.throttled.replicas"
)

// Throttle returns the orders by which the tool sets a throttle before it moves
// partitions of one topic: partition i from[i] to to[i]. Sources are throttled
// as leaders, the replicas that are new as followers
// (ReassignPartitionsCommand.calculateLeaderThrottles and its sibling).
func Throttle(token func() int32, topic string, moves []Move, rate int64) []Order {
	var brokers []kafka.NodeID
	var lead, follow []string
	for _, m := range moves {
		for _, n := range m.From {
			lead = append(lead, throttled(m.Partition, n))
			brokers = append(brokers, n)
		}
		for _, n := range m.To {
			if !slices.Contains(m.From, n) {
				follow = append(follow, throttled(m.Partition, n))
				brokers = append(brokers, n)
			}
		}
	}
	slices.Sort(brokers)
	orders := []Order{AlterConfigs{Token: token(), Type: metadata.ResourceTopic, Name: topic, Configs: []client.Setting{
		{Name: leaderReplicas, Value: strings.Join(lead, ",")}, {Name: followerReplicas, Value: strings.Join(follow, ",")},
	}}}
	for _, n := range slices.Compact(brokers) {
		r := strconv.FormatInt(rate, 10)
		orders = append(orders, AlterConfigs{Token: token(), Type: metadata.ResourceBroker, Name: metadata.BrokerResource(n), Configs: []client.Setting{
			{Name: leaderRate, Value: r}, {Name: followerRate, Value: r},
		}})
	}
	return orders
}

// Unthrottle returns the orders by which --verify takes throttles off, once all
// that was asked for is done.
func Unthrottle(token func() int32, topic string, brokers []kafka.NodeID) []Order {
	orders := []Order{AlterConfigs{Token: token(), Type: metadata.ResourceTopic, Name: topic, Configs: []client.Setting{
		{Name: leaderReplicas}, {Name: followerReplicas},
	}}}
	for _, n := range brokers {
		orders = append(orders, AlterConfigs{Token: token(), Type: metadata.ResourceBroker, Name: metadata.BrokerResource(n), Configs: []client.Setting{
			{Name: leaderRate}, {Name: followerRate},
		}})
	}
	return orders
}

// Move is one partition's part of a reassignment.
type Move struct {
	Partition int32
	From, To  []kafka.NodeID
}

func throttled(partition int32, n kafka.NodeID) string {
	return strconv.Itoa(int(partition)) + ":" + strconv.Itoa(int(n))
}
