package view

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/world"
)

// quorumLeader is the controller that leads the quorum in the highest epoch; nil if
// none does.
func quorumLeader(c *Cluster) (best *Controller) {
	for i := range c.Controllers {
		if v := &c.Controllers[i]; len(v.Voters) > 0 && (best == nil || v.Epoch > best.Epoch) {
			best = v
		}
	}
	return best
}

// knowsVoters is the controller to ask who the voters are: the leader of the highest
// epoch; without one, whichever runs and is in the highest epoch.
func knowsVoters(cs []*node.Controller) (best *node.Controller) {
	for _, c := range cs {
		switch {
		case best == nil, c.Running() && !best.Running():
			best = c
		case c.Running() == best.Running() && c.Active() != best.Active():
			if c.Active() {
				best = c
			}
		case c.Running() == best.Running() && c.QuorumEpoch() > best.QuorumEpoch():
			best = c
		}
	}
	return best
}

// noQuorum is what the tool ends with if nobody answers it.
const noQuorum = "Error: org.apache.kafka.common.errors.TimeoutException: Timed out waiting for a node assignment. Call: describeMetadataQuorum"

// QuorumStatus is what kafka-metadata-quorum describe --status prints
// (tools/MetadataQuorumCommand.java).
func QuorumStatus(c *Cluster) []string {
	l := quorumLeader(c)
	if l == nil {
		return []string{noQuorum}
	}
	var lead, slow *VoterProgress
	for i := range l.Voters {
		v := &l.Voters[i]
		if v.Observer {
			continue
		}
		if v.ID == l.ID {
			lead = v
		}
		if slow == nil || v.LogEnd < slow.LogEnd {
			slow = v
		}
	}
	lag, lagTime := int64(0), int64(-1)
	if lead != nil {
		lag = int64(lead.LogEnd - slow.LogEnd)
		switch {
		case lead == slow:
			lagTime = 0
		case slow.LastCaughtUp != kafka.Never:
			lagTime = lead.LastCaughtUp.UnixMilli() - slow.LastCaughtUp.UnixMilli()
		}
	}
	lines := []struct{ name, value string }{
		{"ClusterId:", c.ClusterID},
		{"LeaderId:", strconv.Itoa(int(l.ID))},
		{"LeaderEpoch:", strconv.Itoa(int(l.Epoch))},
		{"HighWatermark:", strconv.FormatInt(int64(l.HW), 10)},
		{"MaxFollowerLag:", strconv.FormatInt(lag, 10)},
		{"MaxFollowerLagTimeMs:", strconv.FormatInt(lagTime, 10)},
		{"CurrentVoters:", members(l.Voters, false)},
		{"CurrentObservers:", members(l.Voters, true)},
	}
	out := make([]string, len(lines))
	for i, f := range lines {
		out[i] = strings.TrimRight(fmt.Sprintf("%-23s %s", f.name, f.value), " ")
	}
	return out
}

// members lists voters or observers as the tool does, in JSON.
func members(all []VoterProgress, observers bool) string {
	var s []string
	for _, v := range all {
		if v.Observer != observers {
			continue
		}
		directory := "null"
		if v.Directory != [16]byte{} {
			directory = `"` + uuidText(v.Directory) + `"`
		}
		text := fmt.Sprintf(`{"id": %d, "directoryId": %s`, v.ID, directory)
		if !observers {
			text += fmt.Sprintf(`, "endpoints": ["CONTROLLER://%s:%d"]`, v.Host, v.Port)
		}
		s = append(s, text+"}")
	}
	return "[" + strings.Join(s, ", ") + "]"
}

func uuidText(id [16]byte) string { return base64.RawURLEncoding.EncodeToString(id[:]) }

// QuorumReplication is what kafka-metadata-quorum describe --replication prints:
// the leader, the other voters, the observers.
func QuorumReplication(c *Cluster) []string {
	l := quorumLeader(c)
	if l == nil {
		return []string{noQuorum}
	}
	rows := [][]string{{"NodeId", "DirectoryId", "LogEndOffset", "Lag", "LastFetchTimestamp", "LastCaughtUpTimestamp", "Status"}}
	for _, status := range []string{"Leader", "Follower", "Observer"} {
		for i := range l.Voters {
			if v := &l.Voters[i]; v.status(l.ID) == status {
				rows = append(rows, []string{
					strconv.Itoa(int(v.ID)), uuidText(v.Directory), strconv.FormatInt(int64(v.LogEnd), 10), strconv.FormatInt(v.Lag, 10),
					instantText(v.LastFetch), instantText(v.LastCaughtUp), status,
				})
			}
		}
	}
	return columns(rows)
}

func (v *VoterProgress) status(leader kafka.NodeID) string {
	switch {
	case v.Observer:
		return "Observer"
	case v.ID == leader:
		return "Leader"
	}
	return "Follower"
}

// instantText is a time in ms as the tools print it, -1 for one that is not known.
func instantText(t kafka.Instant) string {
	if t == kafka.Never {
		return "-1"
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

// columns pads every column to its widest cell and ends each with a tab
// (tools/ToolsUtils.prettyPrintTable).
func columns(rows [][]string) []string {
	wide := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, cell := range r {
			wide[i] = max(wide[i], len(cell))
		}
	}
	out := make([]string, len(rows))
	for k, r := range rows {
		var b strings.Builder
		for i, cell := range r {
			b.WriteString(cell + strings.Repeat(" ", wide[i]-len(cell)) + "\t")
		}
		out[k] = b.String()
	}
	return out
}

// quorumOf lists voters and observers of a controller that leads.
func (b *Builder) quorumOf(p *node.Controller, now kafka.Instant, into []VoterProgress) []VoterProgress {
	b.quorum = p.Describe(now, b.quorum[:0])
	into = into[:0]
	end := kafka.Offset(0)
	for _, s := range b.quorum {
		if s.ID == p.ID() {
			end = s.End
		}
	}
	for _, s := range b.quorum {
		v := VoterProgress{
			ID: s.ID, Directory: s.Directory, Observer: s.Observer, LogEnd: s.End, Lag: int64(end - s.End),
			LastFetch: s.LastFetch, LastCaughtUp: s.LastCaughtUp, Host: s.Host, Port: s.Port,
		}
		if !v.Observer && v.Host == "" { // static: controller.quorum.voters says it
			v.Host, v.Port = node.ControllerHost(v.ID, v.ID < world.FirstController), 9093
		}
		if v.LastFetch == -kafka.Never {
			v.LastFetch = kafka.Never
		}
		if v.LastCaughtUp == -kafka.Never {
			v.LastCaughtUp = kafka.Never
		}
		into = append(into, v)
	}
	return into
}
