package scenario

import (
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

// controllerState is a controller process as expectations read it.
type controllerState struct {
	id        kafka.NodeID
	role      string // as Kafka prints it; "" while down
	epoch     kafka.LeaderEpoch
	voters    []kafka.NodeID
	end, hw   kafka.Offset // of its metadata log; hw NoOffset: unknown
	snapshots int
}

func init() { functions = append(functions, quorumFunctions...) }

// quorumFunctions are the rows of the table about the controllers' quorum.
var quorumFunctions = []*Function{
	{Name: "quorum_leader", Result: TypeNumber, Doc: "node.id of the quorum's leader; none if nobody leads", eval: evalQuorumLeader},
	{Name: "quorum_epoch", Result: TypeNumber, Doc: "the highest quorum epoch that a controller has on its disk", eval: evalQuorumEpoch},
	{Name: "voters", Result: TypeNumbers, Doc: "node.ids of the quorum's voters", eval: evalVoters},
	{Name: "quorum_role", Args: []ArgKind{ArgController}, Result: TypeText, Doc: "its state: Leader, Follower, Prospective, Candidate, Unattached, Resigned, Observer; Down", eval: evalQuorumRole},
	{Name: "in_role", Args: []ArgKind{ArgText}, Result: TypeNumber, Doc: "how many controllers are in a state: Leader, Follower, Prospective... Down", eval: evalInRole},
	{Name: "metadata_end", Args: []ArgKind{ArgController}, Result: TypeNumber, Doc: "log end offset of its metadata log", eval: evalMetadataEnd},
	{Name: "metadata_hw", Args: []ArgKind{ArgController}, Result: TypeNumber, Doc: "high watermark of its metadata log", eval: evalMetadataHW},
	{Name: "metadata_snapshots", Args: []ArgKind{ArgController}, Result: TypeNumber, Doc: "how many snapshots of the metadata it keeps", eval: evalSnapshots},
	{Name: "broker_controller", Args: []ArgKind{ArgBroker}, Result: TypeNumber, Doc: "node.id of the controller that the broker knows of; none if it knows none", eval: evalBrokerController},
	{Name: "quorum_elected", Args: []ArgKind{ArgController}, Optional: 1, Result: TypeTime, Doc: "when it, or any, last became the quorum's leader", match: matchQuorumElected, keep: keepLast},
	{Name: "quorum_elections", Result: TypeNumber, Doc: "how often the quorum got a leader", match: matchQuorumElections, keep: keepCount},
	{Name: "quorum_resigned", Args: []ArgKind{ArgController}, Optional: 1, Result: TypeTime, Doc: "when it, or any, last gave up leading the quorum", match: matchQuorumResigned, keep: keepLast},
	{Name: "voters_changed", Result: TypeNumber, Doc: "how often a quorum's leader wrote other voters to the metadata log (KIP-853)", match: matchVoters, keep: keepCount},
	{Name: "admin_errors", Args: []ArgKind{ArgError}, Result: TypeNumber, Doc: "how often Kafka's tools got that answer; NONE: how often all went well", match: matchAdmin, keep: keepCount},
	{Name: "pre_votes", Args: []ArgKind{ArgController}, Optional: 1, Result: TypeNumber, Doc: "how often it, or any, asked for pre-votes (KIP-996)", match: matchPreVotes, keep: keepCount},
}

// quorumLeader is the leader of the highest epoch.
func (e *env) quorumLeader() (best controllerState, ok bool) {
	for _, c := range e.Controllers() {
		if c.role == "Leader" && (!ok || c.epoch > best.epoch) {
			best, ok = c, true
		}
	}
	return best, ok
}

func evalQuorumLeader(e *env, _ []Arg) (Value, string) {
	if c, ok := e.quorumLeader(); ok {
		return number(int64(c.id))
	}
	return number(int64(kafka.NoNode))
}

func evalQuorumEpoch(e *env, _ []Arg) (Value, string) {
	var n kafka.LeaderEpoch
	for _, c := range e.Controllers() {
		n = max(n, c.epoch)
	}
	return number(int64(n))
}

func evalVoters(e *env, _ []Arg) (Value, string) {
	c, ok := e.quorumLeader()
	for _, other := range e.Controllers() { // without a leader, as the first sees it that knows
		if !ok && len(c.voters) == 0 {
			c = other
		}
	}
	v := Value{Type: TypeNumbers}
	for _, id := range c.voters {
		v.List = append(v.List, int64(id))
	}
	return v, ""
}

// controllerOf returns the controller that an argument names.
func (e *env) controllerOf(a Arg) controllerState {
	for _, c := range e.Controllers() {
		if c.id == a.Node {
			return c
		}
	}
	return controllerState{id: a.Node, hw: kafka.NoOffset}
}

func evalQuorumRole(e *env, a []Arg) (Value, string) {
	role := e.controllerOf(a[0]).role
	if role == "" {
		role = "Down"
	}
	return text(role, true)
}

func evalInRole(e *env, a []Arg) (Value, string) {
	var n int64
	for _, c := range e.Controllers() {
		if c.role == a[0].Name || c.role == "" && a[0].Name == "Down" {
			n++
		}
	}
	return number(n)
}

func evalMetadataEnd(e *env, a []Arg) (Value, string) { return number(int64(e.controllerOf(a[0]).end)) }

func evalMetadataHW(e *env, a []Arg) (Value, string) {
	c := e.controllerOf(a[0])
	if c.hw < 0 {
		return none(a[0].Name + " does not know its high watermark")
	}
	return number(int64(c.hw))
}

func evalSnapshots(e *env, a []Arg) (Value, string) {
	return number(int64(e.controllerOf(a[0]).snapshots))
}

func evalBrokerController(e *env, a []Arg) (Value, string) {
	return number(int64(e.BrokerController(a[0].Node)))
}

// isController reports whether a note is about the controller of an argument, or
// the argument was left out.
func isController(n *trace.Note, a Arg) bool { return a.Kind == ArgAbsent || n.Node == a.Node }

func matchQuorumElected(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.QuorumLeader && isController(n, a[0])
}

func matchQuorumElections(n *trace.Note, _ []Arg) bool { return n.Kind == trace.QuorumLeader }

func matchVoters(n *trace.Note, _ []Arg) bool { return n.Kind == trace.QuorumVoters }

func matchAdmin(n *trace.Note, a []Arg) bool { return n.Kind == trace.AdminDone && n.Err == a[0].Code }

func matchQuorumResigned(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.QuorumResigned && isController(n, a[0])
}

func matchPreVotes(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.QuorumElection && isController(n, a[0]) && n.Say == "pre-vote"
}

// controller reads controller-101 or 101.
func (e *exprParser) controller(t token) kafka.NodeID {
	name := t.text
	if n, ok := controllerID(t.text); ok {
		name = "controller-" + num(int(n))
	}
	id, ok := nodeID(name)
	if !ok || !strings.HasPrefix(name, "controller-") {
		e.fail(t.col, clip(t.text)+" is not a controller; write controller-101 or 101")
		return 0
	}
	e.p.process(e.st.line, t.col, name, false)
	return id
}

// Controllers implements cluster.
func (c *worldCluster) Controllers() []controllerState {
	var all []controllerState
	for _, p := range c.w.Controllers() {
		all = append(all, controllerState{
			id: p.ID(), role: p.Role(), epoch: p.QuorumEpoch(), voters: p.Voters(),
			end: p.LogEnd(), hw: p.HW(), snapshots: len(p.Snapshots()),
		})
	}
	return all
}

// BrokerController implements cluster.
func (c *worldCluster) BrokerController(id kafka.NodeID) kafka.NodeID {
	if b := c.broker(id); b != nil && b.Raft() != nil {
		return b.Raft().LeaderID()
	}
	return kafka.NoNode
}
