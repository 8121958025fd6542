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

// Order is one thing to do: a CreateTopic, DeleteTopic, CreatePartitions,
// AlterConfigs, ElectLeaders, Reassign, AddVoter... Token names its Result.
type Order interface {
	token() int32
	// what says the order as a person would, for notes.
	what() string
	request() kmsg.Request
	// outcome reads the response.
	outcome(kmsg.Response) (kafka.ErrorCode, string)
}

// CreateTopic is kafka-topics --create.
type CreateTopic struct {
	Token             int32
	Name              string
	Partitions        int32            // -1: num.partitions
	ReplicationFactor int16            // -1: default.replication.factor
	Assignment        [][]kafka.NodeID // replicas per partition; nil leaves it to the controller
	Configs           []client.Setting
}

// DeleteTopic is kafka-topics --delete.
type DeleteTopic struct {
	Token int32
	Name  string
}

// CreatePartitions is kafka-topics --alter --partitions.
type CreatePartitions struct {
	Token int32
	Name  string
	Count int32 // partitions in all
}

// AlterConfigs is kafka-configs --alter. An empty value deletes the config.
type AlterConfigs struct {
	Token   int32
	Type    metadata.ResourceType
	Name    string // topic, node.id, or "" for the cluster-wide default
	Configs []client.Setting
}

// ElectLeaders is kafka-leader-election.
type ElectLeaders struct {
	Token   int32
	TPs     []kafka.TopicPartition
	Unclean bool // else preferred
}

const timeoutMillis = 30_000

func (o CreateTopic) token() int32      { return o.Token }
func (o DeleteTopic) token() int32      { return o.Token }
func (o CreatePartitions) token() int32 { return o.Token }
func (o AlterConfigs) token() int32     { return o.Token }
func (o ElectLeaders) token() int32     { return o.Token }

func (o CreateTopic) what() string      { return "create topic " + o.Name }
func (o DeleteTopic) what() string      { return "delete topic " + o.Name }
func (o CreatePartitions) what() string { return "create partitions of " + o.Name }
func (o AlterConfigs) what() string {
	return "alter configs of " + strings.TrimSpace(resourceName(o.Type)+" "+o.Name)
}
func (o ElectLeaders) what() string {
	if o.Unclean {
		return "unclean leader election"
	}
	return "preferred leader election"
}

func resourceName(t metadata.ResourceType) string {
	if t == metadata.ResourceTopic {
		return "topic"
	}
	return "broker"
}

func (o CreateTopic) request() kmsg.Request {
	r := kmsg.NewPtrCreateTopicsRequest()
	r.Version, r.TimeoutMillis = 7, timeoutMillis
	t := kmsg.NewCreateTopicsRequestTopic()
	t.Topic, t.NumPartitions, t.ReplicationFactor = o.Name, o.Partitions, o.ReplicationFactor
	if len(o.Assignment) > 0 { // the assignment says both
		t.NumPartitions, t.ReplicationFactor = -1, -1
	}
	for p, replicas := range o.Assignment {
		a := kmsg.NewCreateTopicsRequestTopicReplicaAssignment()
		a.Partition = int32(p)
		for _, n := range replicas {
			a.Replicas = append(a.Replicas, int32(n))
		}
		t.ReplicaAssignment = append(t.ReplicaAssignment, a)
	}
	for _, c := range o.Configs {
		t.Configs = append(t.Configs, kmsg.CreateTopicsRequestTopicConfig{Name: c.Name, Value: kmsg.StringPtr(c.Value)})
	}
	r.Topics = append(r.Topics, t)
	return r
}

func (o CreateTopic) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.CreateTopicsResponse)
	if r == nil || len(r.Topics) == 0 {
		return kafka.UnknownServerError, "The response names no topic."
	}
	return said(r.Topics[0].ErrorCode, r.Topics[0].ErrorMessage)
}

func (o DeleteTopic) request() kmsg.Request {
	r := kmsg.NewPtrDeleteTopicsRequest()
	r.Version, r.TimeoutMillis = 6, timeoutMillis
	t := kmsg.NewDeleteTopicsRequestTopic()
	t.Topic = kmsg.StringPtr(o.Name)
	r.Topics = append(r.Topics, t)
	return r
}

func (o DeleteTopic) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.DeleteTopicsResponse)
	if r == nil || len(r.Topics) == 0 {
		return kafka.UnknownServerError, "The response names no topic."
	}
	return said(r.Topics[0].ErrorCode, r.Topics[0].ErrorMessage)
}

func (o CreatePartitions) request() kmsg.Request {
	r := kmsg.NewPtrCreatePartitionsRequest()
	r.Version, r.TimeoutMillis = 3, timeoutMillis
	t := kmsg.NewCreatePartitionsRequestTopic()
	t.Topic, t.Count = o.Name, o.Count
	r.Topics = append(r.Topics, t)
	return r
}

func (o CreatePartitions) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.CreatePartitionsResponse)
	if r == nil || len(r.Topics) == 0 {
		return kafka.UnknownServerError, "The response names no topic."
	}
	return said(r.Topics[0].ErrorCode, r.Topics[0].ErrorMessage)
}

func (o AlterConfigs) request() kmsg.Request {
	r := kmsg.NewPtrIncrementalAlterConfigsRequest()
	r.Version = 1
	res := kmsg.NewIncrementalAlterConfigsRequestResource()
	res.ResourceType, res.ResourceName = kmsg.ConfigResourceType(o.Type), o.Name
	for _, c := range o.Configs {
		e := kmsg.NewIncrementalAlterConfigsRequestResourceConfig()
		e.Name, e.Op = c.Name, kmsg.IncrementalAlterConfigOpSet
		if c.Value == "" {
			e.Op = kmsg.IncrementalAlterConfigOpDelete
		} else {
			e.Value = kmsg.StringPtr(c.Value)
		}
		res.Configs = append(res.Configs, e)
	}
	r.Resources = append(r.Resources, res)
	return r
}

func (o AlterConfigs) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.IncrementalAlterConfigsResponse)
	if r == nil || len(r.Resources) == 0 {
		return kafka.UnknownServerError, "The response names no resource."
	}
	return said(r.Resources[0].ErrorCode, r.Resources[0].ErrorMessage)
}

func (o ElectLeaders) request() kmsg.Request {
	r := kmsg.NewPtrElectLeadersRequest()
	r.Version, r.TimeoutMillis = 2, timeoutMillis
	if o.Unclean {
		r.ElectionType = 1
	}
	tps := slices.Clone(o.TPs)
	slices.SortFunc(tps, kafka.TopicPartition.Compare)
	for _, tp := range tps {
		if n := len(r.Topics); n == 0 || r.Topics[n-1].Topic != tp.Topic {
			t := kmsg.NewElectLeadersRequestTopic()
			t.Topic = tp.Topic
			r.Topics = append(r.Topics, t)
		}
		t := &r.Topics[len(r.Topics)-1]
		t.Partitions = append(t.Partitions, tp.Partition)
	}
	return r
}

// outcome is the first error of a partition; that an election was not needed is
// success, as the tool says it.
func (o ElectLeaders) outcome(resp kmsg.Response) (kafka.ErrorCode, string) {
	r, _ := resp.(*kmsg.ElectLeadersResponse)
	if r == nil {
		return kafka.UnknownServerError, ""
	}
	if r.ErrorCode != 0 {
		return kafka.ErrorCode(r.ErrorCode), ""
	}
	for i := range r.Topics {
		for j := range r.Topics[i].Partitions {
			p := &r.Topics[i].Partitions[j]
			code, why := said(p.ErrorCode, p.ErrorMessage)
			if code != kafka.None && code != kafka.ElectionNotNeeded {
				return code, strings.TrimSpace(r.Topics[i].Topic + "-" + strconv.Itoa(int(p.Partition)) + " " + why)
			}
		}
	}
	return kafka.None, ""
}

func said(code int16, message *string) (kafka.ErrorCode, string) {
	if message == nil {
		return kafka.ErrorCode(code), ""
	}
	return kafka.ErrorCode(code), *message
}
