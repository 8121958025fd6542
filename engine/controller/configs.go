package controller

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// The operations on a config (AlterConfigOp.OpType).
const (
	opSet kmsg.IncrementalAlterConfigOp = iota
	opDelete
	opAppend
	opSubtract
)

// configChange is one operation on one config of a resource.
type configChange struct {
	name  string
	op    kmsg.IncrementalAlterConfigOp
	value *string
}

const minISRConfig = "min.insync.replicas"

// alterConfigs handles IncrementalAlterConfigs (KIP-339;
// ConfigurationControlManager.incrementalAlterConfigs). The operations of one
// resource are done all or none.
func (c *Controller) alterConfigs(req *kmsg.IncrementalAlterConfigsRequest, out *sim.Out) kmsg.Response {
	resp := req.ResponseKind().(*kmsg.IncrementalAlterConfigsResponse)
	var recs []metadata.Record
	for i := range req.Resources {
		r := &req.Resources[i]
		rr := kmsg.NewIncrementalAlterConfigsResponseResource()
		rr.ResourceType, rr.ResourceName = r.ResourceType, r.ResourceName
		var changes []configChange
		for _, e := range r.Configs {
			changes = append(changes, configChange{e.Name, e.Op, e.Value})
		}
		res := metadata.Resource{Type: metadata.ResourceType(r.ResourceType), Name: r.ResourceName}
		made, f := c.changeExisting(res, changes)
		if f != nil {
			rr.ErrorCode, rr.ErrorMessage = int16(f.code), message(f.msg)
		}
		recs = append(recs, made...)
		resp.Resources = append(resp.Resources, rr)
	}
	if !req.ValidateOnly {
		c.append(out, append(recs, c.clearELRs(recs)...), why{})
	}
	return resp
}

// clearELRs makes ELRs begin anew where the min ISR that they were made by
// changes: they may not hold what the new one promises (KIP-966).
func (c *Controller) clearELRs(recs []metadata.Record) []metadata.Record {
	var clear []metadata.Record
	for _, r := range recs {
		r := r.(*metadata.ConfigRecord)
		switch {
		case r.Name != minISRConfig || !c.head.ELREnabled():
		case r.ResourceType == metadata.ResourceTopic:
			clear = append(clear, &metadata.ClearELRRecord{Topic: r.ResourceName})
		default:
			clear = append(clear, &metadata.ClearELRRecord{})
		}
	}
	return clear
}

// changeExisting changes configs of a resource that must exist.
func (c *Controller) changeExisting(res metadata.Resource, changes []configChange) ([]metadata.Record, *fault) {
	switch res.Type {
	case metadata.ResourceTopic:
		if c.head.Topic(res.Name) == nil {
			return nil, failf(kafka.UnknownTopicOrPartition, "The topic '%s' does not exist.", res.Name)
		}
	case metadata.ResourceBroker:
		if _, err := strconv.ParseUint(res.Name, 10, 31); err != nil && res.Name != "" {
			return nil, failf(kafka.InvalidRequest, "Node id must be an integer, but it is: %s", res.Name)
		}
	default:
		return nil, failf(kafka.InvalidRequest, "Unsupported resource type %d", res.Type)
	}
	return c.changeConfigs(res, changes)
}

// changeConfigs checks the changes of a resource's configs and returns the
// records for those that differ from what is set.
func (c *Controller) changeConfigs(res metadata.Resource, changes []configChange) ([]metadata.Record, *fault) {
	var recs []metadata.Record
	for i, ch := range changes {
		if slices.ContainsFunc(changes[:i], func(o configChange) bool { return o.name == ch.name }) {
			return nil, failf(kafka.InvalidRequest, "Error due to duplicate config keys")
		}
		old, set := c.head.Config(res.Type, res.Name, ch.name)
		value, f := c.changedValue(res, ch)
		if f != nil {
			return nil, f
		}
		if value == nil && !set || value != nil && set && *value == old {
			continue
		}
		recs = append(recs, &metadata.ConfigRecord{ResourceType: res.Type, ResourceName: res.Name, Name: ch.name, Value: value})
	}
	if f := c.conflict(res, recs); f != nil {
		return nil, f
	}
	return recs, nil
}

// changedValue is the value after a change; nil for none.
func (c *Controller) changedValue(res metadata.Resource, ch configChange) (*string, *fault) {
	scope := kafka.ScopeTopic
	if res.Type == metadata.ResourceBroker {
		scope = kafka.ScopeBroker
	}
	row := kafka.LookupConfig(scope, ch.name)
	if f := c.allowed(res, ch, scope, row); f != nil {
		return nil, f
	}
	if ch.op == opDelete {
		return nil, nil
	}
	if ch.value == nil {
		return nil, failf(kafka.InvalidConfig, "Null value not supported for : %s", ch.name)
	}
	value := strings.TrimSpace(*ch.value)
	if ch.op == opAppend || ch.op == opSubtract {
		if row.Type != kafka.TypeList {
			return nil, failf(kafka.InvalidConfig, "Can't %s to key %s because its type is not LIST.", [...]string{"", "", "APPEND", "SUBTRACT"}[ch.op], ch.name)
		}
		value = c.changedList(res, ch, row, value)
	}
	if _, err := row.Parse(value); err != nil {
		return nil, failf(kafka.InvalidConfig, "%s", err)
	}
	return &value, nil
}

// conflict checks the values that a resource would have against each other, and a
// change of the cleaner's threads against how many there are
// (LogCleaner.validateReconfiguration).
func (c *Controller) conflict(res metadata.Resource, recs []metadata.Record) *fault {
	if len(recs) == 0 {
		return nil
	}
	scope := kafka.ScopeTopic
	now := func(name string) string {
		v, _ := c.head.Resolve(res.Name, kafka.NoNode, c.cfg.Static, name)
		return v
	}
	if res.Type == metadata.ResourceBroker {
		id, err := strconv.Atoi(res.Name)
		if scope = kafka.ScopeBroker; err != nil {
			id = int(kafka.NoNode)
		}
		now = func(name string) string {
			v, _ := c.head.ResolveBroker(kafka.NodeID(id), c.cfg.Static, name)
			return v
		}
	}
	then := func(name string) string {
		for _, r := range recs {
			if r := r.(*metadata.ConfigRecord); r.Name == name && r.Value != nil {
				return *r.Value
			} else if r.Name == name {
				return kafka.LookupConfig(scope, name).Default
			}
		}
		return now(name)
	}
	if err := kafka.Conflict(scope, then); err != nil {
		return failf(kafka.InvalidConfig, "%s", err)
	}
	const threads = "log.cleaner.threads"
	if scope == kafka.ScopeTopic || then(threads) == now(threads) {
		return nil
	}
	have, _ := kafka.ParseConfig(scope, threads, now(threads))
	want, _ := kafka.ParseConfig(scope, threads, then(threads))
	switch {
	case want.Int < 1:
		return failf(kafka.InvalidConfig, "Log cleaner threads should be at least 1")
	case want.Int < have.Int/2:
		return failf(kafka.InvalidConfig, "Log cleaner threads cannot be reduced to less than half the current value %d", have.Int)
	case want.Int > have.Int*2:
		return failf(kafka.InvalidConfig, "Log cleaner threads cannot be increased to more than double the current value %d", have.Int)
	}
	return nil
}

// allowed checks that there is such a config and that it may be changed.
func (c *Controller) allowed(res metadata.Resource, ch configChange, scope kafka.Scope, row *kafka.Config) *fault {
	switch {
	case ch.op < opSet || ch.op > opSubtract:
		return failf(kafka.InvalidRequest, "Unsupported operation %d on %s", ch.op, ch.name)
	case row == nil:
		_, err := kafka.ParseConfig(scope, ch.name, "")
		return failf(kafka.InvalidConfig, "%s", err)
	case scope == kafka.ScopeBroker && row.Dynamic == kafka.ReadOnly:
		return failf(kafka.InvalidRequest, "Cannot update these configs dynamically: Set(%s)", ch.name)
	case scope == kafka.ScopeBroker && ch.name == minISRConfig && c.head.ELREnabled() && res.Name != "":
		return failf(kafka.InvalidConfig, "Broker-level %s cannot be altered while ELR is enabled.", ch.name)
	case scope == kafka.ScopeBroker && ch.name == minISRConfig && c.head.ELREnabled() && ch.op == opDelete:
		return failf(kafka.InvalidConfig, "Cluster-level %s cannot be removed while ELR is enabled.", ch.name)
	}
	return nil
}

// changedList appends to or subtracts from the effective list.
func (c *Controller) changedList(res metadata.Resource, ch configChange, row *kafka.Config, value string) string {
	old, set := c.head.Config(res.Type, res.Name, ch.name)
	if !set {
		old = row.Default
	}
	have, _ := row.Parse(old)
	list := have.List
	for e := range strings.SplitSeq(value, ",") {
		e = strings.TrimSpace(e)
		i := slices.Index(list, e)
		switch {
		case ch.op == opAppend && i < 0:
			list = append(list, e)
		case ch.op == opSubtract && i >= 0:
			list = slices.Delete(list, i, i+1)
		}
	}
	return strings.Join(list, ",")
}
