package controller

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// fault is an error for one item of a request; nil is success.
type fault struct {
	code kafka.ErrorCode
	msg  string
}

func failf(code kafka.ErrorCode, format string, args ...any) *fault {
	return &fault{code, fmt.Sprintf(format, args...)}
}

// message is a response's error message; "" is null.
func message(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// createTopics handles CreateTopics (ReplicationControlManager.createTopics).
// Topics that fail do not keep the others from being created.
func (c *Controller) createTopics(now kafka.Instant, req *kmsg.CreateTopicsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.CreateTopicsResponse)
	account := c.account(now, &req.UnknownTags, req.ValidateOnly)
	var recs []metadata.Record
	many := c.tooManyPartitions(req)
	for i := range req.Topics {
		t := &req.Topics[i]
		rt := kmsg.NewCreateTopicsResponseTopic()
		rt.Topic = t.Topic
		made, f := []metadata.Record(nil), many
		if f == nil {
			made, f = c.createTopic(req, t)
		}
		if f == nil {
			f = account.charge(int(made[len(made)-1].(*metadata.PartitionRecord).Partition) + 1)
		}
		if f != nil {
			rt.ErrorCode, rt.ErrorMessage = int16(f.code), message(f.msg)
			rt.NumPartitions, rt.ReplicationFactor = -1, -1
		} else {
			first := made[len(made)-1].(*metadata.PartitionRecord)
			rt.TopicID = [16]byte(first.TopicID)
			rt.NumPartitions, rt.ReplicationFactor = first.Partition+1, int16(len(first.Replicas))
			recs = append(recs, made...)
		}
		resp.Topics = append(resp.Topics, rt)
	}
	resp.ThrottleMillis = int32(account.wait.Millis())
	if !req.ValidateOnly {
		c.append(out, recs, why{})
	}
	return resp
}

// partitionsMax is how many partitions one request may create, over all its topics
// (ReplicationControlManager.MAX_PARTITIONS_PER_BATCH).
const partitionsMax = 10_000

// tooManyPartitions refuses a request as a whole (validateTotalNumberOfPartitions).
func (c *Controller) tooManyPartitions(req *kmsg.CreateTopicsRequest) *fault {
	n := int64(0)
	for i := range req.Topics {
		switch t := &req.Topics[i]; {
		case len(t.ReplicaAssignment) > 0:
			n += int64(len(t.ReplicaAssignment))
		case t.NumPartitions == -1:
			n += c.head.BrokerInt(c.cfg.ID, c.cfg.Static, "num.partitions")
		case t.NumPartitions > 0:
			n += int64(t.NumPartitions)
		}
	}
	if n > partitionsMax {
		return failf(kafka.PolicyViolation, "Excessively large number of partitions per request.")
	}
	return nil
}

// createTopic returns the records of one new topic.
func (c *Controller) createTopic(req *kmsg.CreateTopicsRequest, t *kmsg.CreateTopicsRequestTopic) ([]metadata.Record, *fault) {
	if f := c.validateTopicName(t.Topic); f != nil {
		return nil, f
	}
	same := 0
	for i := range req.Topics {
		if req.Topics[i].Topic == t.Topic {
			same++
		}
	}
	if same > 1 {
		return nil, failf(kafka.InvalidRequest, "Duplicate topic name.")
	}
	var changes []configChange
	for _, e := range t.Configs {
		changes = append(changes, configChange{name: e.Name, op: opSet, value: e.Value})
	}
	configs, f := c.changeConfigs(metadata.Resource{Type: metadata.ResourceTopic, Name: t.Topic}, changes)
	if f != nil {
		return nil, f
	}
	assignment, f := c.assign(t)
	if f != nil {
		return nil, f
	}
	id := c.newTopicID()
	recs := append([]metadata.Record{&metadata.TopicRecord{Name: t.Topic, ID: id}}, configs...)
	parts, f := c.partitionRecords(id, 0, assignment, len(t.ReplicaAssignment) > 0)
	if f != nil {
		return nil, f
	}
	return append(recs, parts...), nil
}

// newTopicID draws a random (version 4) uuid. The offset of its record is in it:
// a process that starts again draws the same numbers as the one before, and a
// topic that was deleted must not lend its id to the next.
func (c *Controller) newTopicID() kafka.TopicID {
	var id kafka.TopicID
	for first := true; first || c.head.TopicByID(id) != nil; first = false {
		binary.BigEndian.PutUint64(id[:], c.rng.Uint64())
		binary.BigEndian.PutUint64(id[8:], c.rng.Uint64()^uint64(c.next))
		id[6], id[8] = id[6]&0x0f|0x40, id[8]&0x3f|0x80
	}
	return id
}

// assign returns the replicas of every partition, as given or placed.
func (c *Controller) assign(t *kmsg.CreateTopicsRequestTopic) ([][]kafka.NodeID, *fault) {
	if len(t.ReplicaAssignment) > 0 {
		return c.manualAssignment(t)
	}
	switch {
	case t.ReplicationFactor < -1 || t.ReplicationFactor == 0:
		return nil, failf(kafka.InvalidReplicationFactor, "Replication factor must be larger than 0, or -1 to use the default value.")
	case t.NumPartitions < -1 || t.NumPartitions == 0:
		return nil, failf(kafka.InvalidPartitions, "Number of partitions was set to an invalid non-positive value.")
	}
	n, rf := int64(t.NumPartitions), int64(t.ReplicationFactor)
	if n == -1 {
		n = c.head.BrokerInt(c.cfg.ID, c.cfg.Static, "num.partitions")
	}
	if rf == -1 {
		rf = c.head.BrokerInt(c.cfg.ID, c.cfg.Static, "default.replication.factor")
	}
	return c.placePartitions(int(n), int(rf))
}

func (c *Controller) manualAssignment(t *kmsg.CreateTopicsRequestTopic) ([][]kafka.NodeID, *fault) {
	switch {
	case t.ReplicationFactor != -1:
		return nil, failf(kafka.InvalidRequest, "A manual partition assignment was specified, but replication factor was not set to -1.")
	case t.NumPartitions != -1:
		return nil, failf(kafka.InvalidRequest, "A manual partition assignment was specified, but numPartitions was not set to -1.")
	}
	parts := make([][]kafka.NodeID, len(t.ReplicaAssignment))
	rf := -1
	for _, a := range t.ReplicaAssignment {
		if a.Partition < 0 || int(a.Partition) >= len(parts) {
			return nil, failf(kafka.InvalidReplicaAssignment, "partitions should be a consecutive 0-based integer sequence")
		}
		if parts[a.Partition] != nil {
			return nil, failf(kafka.InvalidReplicaAssignment, "Found multiple manual partition assignments for partition %d", a.Partition)
		}
		replicas := nodeIDs(a.Replicas)
		if f := c.validateAssignment(replicas, rf); f != nil {
			return nil, f
		}
		parts[a.Partition], rf = replicas, len(replicas)
	}
	return parts, nil
}

// validateAssignment checks a partition's replicas; rf is how many there must
// be, -1 if that is free (validateManualPartitionAssignment).
func (c *Controller) validateAssignment(replicas []kafka.NodeID, rf int) *fault {
	if len(replicas) == 0 {
		return failf(kafka.InvalidReplicaAssignment, "The manual partition assignment includes an empty replica list.")
	}
	for i, n := range replicas {
		if c.head.Broker(n) == nil {
			return failf(kafka.InvalidReplicaAssignment, "The manual partition assignment includes broker %d, but no such broker is registered.", n)
		}
		if slices.Contains(replicas[:i], n) {
			return failf(kafka.InvalidReplicaAssignment, "The manual partition assignment includes the broker %d more than once.", n)
		}
	}
	if rf >= 0 && len(replicas) != rf {
		return failf(kafka.InvalidReplicaAssignment, "The manual partition assignment includes a partition with %d replica(s), but this is not consistent with previous partitions, which have %d replica(s).", len(replicas), rf)
	}
	return nil
}

func nodeIDs(l []int32) []kafka.NodeID {
	n := make([]kafka.NodeID, len(l))
	for i, v := range l {
		n[i] = kafka.NodeID(v)
	}
	return n
}

// partitionRecords makes new partitions, beginning with an index. Only active
// brokers are in sync at first, and the first of them leads.
func (c *Controller) partitionRecords(id kafka.TopicID, first int, assignment [][]kafka.NodeID, manual bool) ([]metadata.Record, *fault) {
	recs := make([]metadata.Record, len(assignment))
	for i, replicas := range assignment {
		isr := slices.DeleteFunc(slices.Clone(replicas), func(n kafka.NodeID) bool { return !c.head.Active(n) })
		switch {
		case len(isr) == 0 && manual:
			return nil, failf(kafka.InvalidReplicaAssignment, "All brokers specified in the manual partition assignment for partition %d are fenced or in controlled shutdown.", first+i)
		case len(isr) == 0:
			return nil, failf(kafka.InvalidReplicationFactor, "Unable to replicate the partition %d time(s): All brokers are currently fenced or in controlled shutdown.", len(replicas))
		}
		dirs := make([][16]byte, len(replicas))
		for j, n := range replicas {
			dirs[j] = c.defaultDir(n)
		}
		recs[i] = metadata.Latest(&metadata.PartitionRecord{
			Partition: int32(first + i), TopicID: id, Replicas: replicas, ISR: isr, Leader: isr[0], Directories: dirs,
		})
	}
	return recs, nil
}

// topicNameMax is the longest topic name (clients/common/internals/Topic.java).
const topicNameMax = 249

// validateTopicName follows Topic.validate and the controller's own checks.
func (c *Controller) validateTopicName(name string) *fault {
	bad := func(what string) *fault { return failf(kafka.InvalidTopic, "Topic name is invalid: %s", what) }
	switch {
	case name == "":
		return bad("the empty string is not allowed")
	case name == "." || name == "..":
		return bad("'" + name + "' is not allowed")
	case len(name) > topicNameMax:
		return bad(fmt.Sprintf("the length of '%s' is longer than the max allowed length %d", name, topicNameMax))
	case strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' || r == '-')
	}):
		return bad("'" + name + "' contains one or more characters other than ASCII alphanumerics, '.', '_' and '-'")
	case c.head.Topic(name) != nil:
		return failf(kafka.TopicAlreadyExists, "Topic '%s' already exists.", name)
	}
	for _, t := range c.head.Topics { // in metric names . and _ look the same
		if strings.ReplaceAll(t.Name, ".", "_") == strings.ReplaceAll(name, ".", "_") {
			return failf(kafka.InvalidTopic, "Topic '%s' collides with existing topic: %s", name, t.Name)
		}
	}
	return nil
}

// deleteTopics handles DeleteTopics v6, by name or by id.
func (c *Controller) deleteTopics(now kafka.Instant, req *kmsg.DeleteTopicsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.DeleteTopicsResponse)
	account := c.account(now, &req.UnknownTags, false)
	var recs []metadata.Record
	var gone []kafka.TopicID
	for _, rt := range req.Topics {
		at := kmsg.NewDeleteTopicsResponseTopic()
		at.Topic, at.TopicID = rt.Topic, rt.TopicID
		t := c.head.TopicByID(kafka.TopicID(rt.TopicID))
		unknown := kafka.UnknownTopicID
		if rt.Topic != nil {
			t, unknown = c.head.Topic(*rt.Topic), kafka.UnknownTopicOrPartition
		}
		switch {
		case !c.head.BrokerBool(c.cfg.ID, c.cfg.Static, "delete.topic.enable"):
			at.ErrorCode = int16(kafka.TopicDeletionDisabled)
		case rt.Topic != nil && rt.TopicID != [16]byte{}:
			at.ErrorCode, at.ErrorMessage = int16(kafka.InvalidRequest), message("You may not specify both topic name and topic id.")
		case t == nil:
			at.ErrorCode = int16(unknown)
		case slices.Contains(gone, t.ID):
			at.ErrorCode, at.ErrorMessage = int16(kafka.InvalidRequest), message("The provided topic name or id maps to a topic that is deleted already.")
		default:
			at.Topic, at.TopicID = &t.Name, t.ID
			if f := account.charge(len(t.Partitions)); f != nil {
				at.ErrorCode, at.ErrorMessage = int16(f.code), message(f.msg)
				break
			}
			gone = append(gone, t.ID)
			recs = append(recs, &metadata.RemoveTopicRecord{ID: t.ID})
		}
		resp.Topics = append(resp.Topics, at)
	}
	resp.ThrottleMillis = int32(account.wait.Millis())
	c.append(out, recs, why{})
	return resp
}

// createPartitions handles CreatePartitions.
func (c *Controller) createPartitions(now kafka.Instant, req *kmsg.CreatePartitionsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.CreatePartitionsResponse)
	account := c.account(now, &req.UnknownTags, req.ValidateOnly)
	var recs []metadata.Record
	for i := range req.Topics {
		rt := kmsg.NewCreatePartitionsResponseTopic()
		rt.Topic = req.Topics[i].Topic
		made, f := c.addPartitions(&req.Topics[i])
		if f == nil {
			f = account.charge(len(made))
		}
		if f != nil {
			rt.ErrorCode, rt.ErrorMessage = int16(f.code), message(f.msg)
			made = nil
		}
		recs = append(recs, made...)
		resp.Topics = append(resp.Topics, rt)
	}
	resp.ThrottleMillis = int32(account.wait.Millis())
	if !req.ValidateOnly {
		c.append(out, recs, why{})
	}
	return resp
}

func (c *Controller) addPartitions(rt *kmsg.CreatePartitionsRequestTopic) ([]metadata.Record, *fault) {
	t := c.head.Topic(rt.Topic)
	if t == nil {
		return nil, failf(kafka.UnknownTopicOrPartition, "This server does not host this topic-partition.")
	}
	have := len(t.Partitions)
	add, rf := int(rt.Count)-have, len(t.Partitions[0].Replicas)
	switch {
	case add == 0:
		return nil, failf(kafka.InvalidPartitions, "Topic already has %d partition(s).", have)
	case add < 0:
		return nil, failf(kafka.InvalidPartitions, "The topic %s currently has %d partition(s); %d would not be an increase.", t.Name, have, rt.Count)
	case rt.Assignment != nil && len(rt.Assignment) != add:
		return nil, failf(kafka.InvalidReplicaAssignment, "Attempted to add %d additional partition(s), but only %d assignment(s) were specified.", add, len(rt.Assignment))
	}
	var assignment [][]kafka.NodeID
	for _, a := range rt.Assignment {
		replicas := nodeIDs(a.Replicas)
		if f := c.validateAssignment(replicas, rf); f != nil {
			return nil, f
		}
		assignment = append(assignment, replicas)
	}
	if rt.Assignment == nil {
		placed, f := c.placePartitions(add, rf)
		if f != nil {
			return nil, f
		}
		assignment = placed
	}
	return c.partitionRecords(t.ID, have, assignment, rt.Assignment != nil)
}
