package admin

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The orders behind kafka-reassign-partitions (KIP-455):
//
//	--execute [--throttle]  throttle of the topics ─> of the brokers ─> Reassign
//	--cancel                Reassign without replicas ─> throttles off
//	--verify                ListReassignments ─ nothing is under way ─> throttles off

// Reassign moves partitions, or cancels where a move has no target.
type Reassign struct {
	Token int32
	Moves []Move
}

// Move is one partition's part of a reassignment.
type Move struct {
	TP       kafka.TopicPartition
	From, To []kafka.NodeID // To in its order, the first is preferred; nil cancels
}

// Sequence does orders one after the other; what fails ends it.
type Sequence struct{ Orders []Order }

// ListReassignments asks for what is under way for partitions of a topic. If
// that is nothing, the orders of Done follow.
type ListReassignments struct {
	Token int32
	Topic string
	Parts int32 // how many partitions the topic has
	Done  []Order
}

// chained is an order after whose success others follow.
type chained interface {
	then() []Order
}

func (o Reassign) token() int32          { return o.Token }
func (o Sequence) token() int32          { return o.Orders[0].token() }
func (o ListReassignments) token() int32 { return o.Token }

func (o Reassign) what() string {
	var s []string
	for _, m := range o.Moves {
		if m.To == nil {
			s = append(s, m.TP.String())
		} else {
			s = append(s, m.TP.String()+" to "+numbers(m.To))
		}
	}
	if len(o.Moves) > 0 && o.Moves[0].To == nil {
		return "cancel reassignment of " + strings.Join(s, ", ")
	}
	return "reassign " + strings.Join(s, ", ")
}

func (o Sequence) what() string          { return o.Orders[0].what() }
func (o ListReassignments) what() string { return "verify reassignment of " + o.Topic }

func numbers(l []kafka.NodeID) string {
	s := make([]string, len(l))
	for i, n := range l {
		s[i] = strconv.Itoa(int(n))
	}
	return strings.Join(s, ",")
}

func (o Reassign) request() kmsg.Request {
	r := kmsg.NewPtrAlterPartitionAssignmentsRequest()
	r.Version, r.TimeoutMillis, r.AllowReplicationFactorChange = 1, timeoutMillis, true
	for _, m := range o.Moves {
		p := kmsg.NewAlterPartitionAssignmentsRequestTopicPartition()
		p.Partition = m.TP.Partition
		for _, n := range m.To {
			p.Replicas = append(p.Replicas, int32(n))
		}
		if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != m.TP.Topic {
			t := kmsg.NewAlterPartitionAssignmentsRequestTopic()
			t.Topic = m.TP.Topic
			r.Topics = append(r.Topics, t)
		}
		t := &r.Topics[len(r.Topics)-1]
		t.Partitions = append(t.Partitions, p)
	}
	return r
}

func (o Sequence) request() kmsg.Request { return o.Orders[0].request() }

func (o ListReassignments) request() kmsg.Request {
	r := kmsg.NewPtrListPartitionReassignmentsRequest()
	r.TimeoutMillis = timeoutMillis
	t := kmsg.NewListPartitionReassignmentsRequestTopic()
	t.Topic = o.Topic
	for p := range o.Parts {
		t.Partitions = append(t.Partitions, p)
	}
	r.Topics = append(r.Topics, t)
	return r
}

// outcome is the first error of a partition.
func (o Reassign) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.AlterPartitionAssignmentsResponse)
	if r == nil {
		return kafka.UnknownServerError, ""
	}
	if r.ErrorCode != 0 {
		return said(r.ErrorCode, r.ErrorMessage)
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			if code, why := said(p.ErrorCode, p.ErrorMessage); code != kafka.None {
				return code, strings.TrimSpace(r.Topics[i].Topic + "-" + strconv.Itoa(int(p.Partition)) + " " + why)
			}
		}
	}
	return kafka.None, ""
}

func (o Sequence) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	return o.Orders[0].outcome(resp)
}

// outcome says what is still under way; for the tool that is not an error, but
// nothing follows.
func (o ListReassignments) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.ListPartitionReassignmentsResponse)
	switch {
	case r == nil:
		return kafka.UnknownServerError, ""
	case r.ErrorCode != 0:
		return said(r.ErrorCode, r.ErrorMessage)
	case len(r.Topics) > 0:
		return kafka.OperationNotAttempted, fmt.Sprintf("reassignment of %d partitions is still in progress", len(r.Topics[0].Partitions))
	}
	return kafka.None, ""
}

func (o Sequence) then() []Order {
	if len(o.Orders) == 1 {
		return nil
	}
	return []Order{Sequence{o.Orders[1:]}}
}

func (o ListReassignments) then() []Order { return o.Done }

// The throttle (KIP-73): each broker that gives or takes part gets a rate in
// bytes per second, each topic the lists of replicas that it counts for.
const (
	leaderRate       = "leader.replication.throttled.rate"
	followerRate     = "follower.replication.throttled.rate"
	leaderReplicas   = "leader.replication.throttled.replicas"
	followerReplicas = "follower.replication.throttled.replicas"
)

// Execute returns the order for moves of one topic; rate 0 is no throttle. The
// replicas that there are get throttled as leaders, those that are new as
// followers (ReassignPartitionsCommand.calculateLeaderThrottles and its
// sibling).
func Execute(token func() int32, moves []Move, rate int64) Order {
	if rate == 0 {
		return Reassign{Token: token(), Moves: moves}
	}
	var brokers []kafka.NodeID
	var lead, follow []string
	for _, m := range moves {
		for _, n := range m.From {
			lead = append(lead, throttled(m.TP.Partition, n))
		}
		for _, n := range m.To {
			if !slices.Contains(m.From, n) {
				follow = append(follow, throttled(m.TP.Partition, n))
			}
		}
		brokers = append(append(brokers, m.From...), m.To...)
	}
	slices.Sort(lead) // as the tool writes them
	slices.Sort(follow)
	orders := throttleOrders(token, moves[0].TP.Topic, strings.Join(lead, ","), strings.Join(follow, ","), brokers, strconv.FormatInt(rate, 10))
	return Sequence{append(orders, Reassign{Token: token(), Moves: moves})}
}

// Cancel returns the order by which --cancel takes back moves of one topic, and
// their throttle (cancelAssignment, without --preserve-throttles). brokers are
// those that have one.
func Cancel(token func() int32, moves []Move, brokers []kafka.NodeID) Order {
	first := Reassign{Token: token(), Moves: moves}
	return Sequence{append([]Order{first}, throttleOrders(token, moves[0].TP.Topic, "", "", brokers, "")...)}
}

// Throttled reports whether a broker has the throttle of replication set.
func Throttled(img *metadata.Image, id kafka.NodeID) bool {
	_, lead := img.Config(metadata.ResourceBroker, metadata.BrokerResource(id), leaderRate)
	_, follow := img.Config(metadata.ResourceBroker, metadata.BrokerResource(id), followerRate)
	return lead || follow
}

// Verify returns the order by which --verify takes throttles off a topic and all
// brokers that have them, once nothing is under way.
func Verify(token func() int32, topic string, partitions int, brokers []kafka.NodeID) Order {
	return ListReassignments{
		Token: token(), Topic: topic, Parts: int32(partitions), Done: throttleOrders(token, topic, "", "", brokers, ""),
	}
}

// throttleOrders sets the throttle's configs; empty values delete them.
func throttleOrders(token func() int32, topic, lead, follow string, brokers []kafka.NodeID, rate string) []Order {
	orders := []Order{AlterConfigs{Token: token(), Type: metadata.ResourceTopic, Name: topic, Configs: []client.Setting{
		{Name: leaderReplicas, Value: lead}, {Name: followerReplicas, Value: follow},
	}}}
	brokers = slices.Clone(brokers)
	slices.Sort(brokers)
	for _, n := range slices.Compact(brokers) {
		orders = append(orders, AlterConfigs{Token: token(), Type: metadata.ResourceBroker, Name: metadata.BrokerResource(n), Configs: []client.Setting{
			{Name: leaderRate, Value: rate}, {Name: followerRate, Value: rate},
		}})
	}
	return orders
}

func throttled(partition int32, n kafka.NodeID) string {
	return strconv.Itoa(int(partition)) + ":" + strconv.Itoa(int(n))
}
