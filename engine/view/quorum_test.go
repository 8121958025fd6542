package view_test

import (
	"strings"
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/engine/world"
)

// quorumAt is the read model of a cluster of three controllers some time after
// its start, with what was ordered at instant 1 s.
func quorumAt(t *testing.T, at kafka.Duration, orders ...world.Command) *view.Cluster {
	t.Helper()
	w, err := world.New(world.Spec{Seed: 1, Cluster: world.ClusterSpec{Brokers: 2, Controllers: 3}})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(kafka.Instant(kafka.Second))
	for _, c := range orders {
		if err := w.Do(c); err != nil {
			t.Fatal(err)
		}
	}
	w.RunUntil(kafka.Instant(at))
	var b view.Builder
	var c view.Cluster
	b.Build(w, view.Options{}, &c)
	return &c
}

func TestQuorumStatus(t *testing.T) {
	c := quorumAt(t, 5*kafka.Second, world.Command{Verb: world.VerbFreeze, Nodes: []string{"controller-standby"}})
	var lead *view.Controller
	for i := range c.Controllers {
		if c.Controllers[i].Role == "Leader" {
			lead = &c.Controllers[i]
		}
	}
	if lead == nil || len(lead.Voters) != 5 || lead.Leader != lead.ID || lead.VotedFor != lead.ID {
		t.Fatalf("leader %+v", lead)
	}
	got := strings.Join(view.QuorumStatus(c), "\n")
	for _, want := range []string{
		"ClusterId:", "LeaderId:               10", "LeaderEpoch:            ", "HighWatermark:          ", "MaxFollowerLag:         8",
		"MaxFollowerLagTimeMs:   ", `CurrentVoters:          [{"id": 101, "directoryId": null, "endpoints": ["CONTROLLER://controller-101:9093"]}, {"id": 102,`,
		`CurrentObservers:       [{"id": 1, "directoryId": null}, {"id": 2, "directoryId": null}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	rows := view.QuorumReplication(c)
	if len(rows) != 6 || !strings.HasPrefix(rows[0], "NodeId\tDirectoryId           \tLogEndOffset\tLag\tLastFetchTimestamp\tLastCaughtUpTimestamp\tStatus  \t") {
		t.Fatalf("rows\n%s", strings.Join(rows, "\n"))
	}
	for i, status := range []string{"Leader", "Follower", "Follower", "Observer", "Observer"} {
		if !strings.HasSuffix(strings.TrimRight(rows[i+1], " \t"), status) {
			t.Errorf("row %d: %q, want %s", i+1, rows[i+1], status)
		}
	}
}

func TestQuorumStatusWithoutLeader(t *testing.T) {
	c := quorumAt(t, 10*kafka.Second, world.Command{Verb: world.VerbCrash, Nodes: []string{"controller-101", "controller-102"}})
	if got := view.QuorumStatus(c); len(got) != 1 || !strings.HasPrefix(got[0], "Error") {
		t.Errorf("%q", got)
	}
}

// Who votes is told of every controller, whether it runs or not, and what can be
// done about it is offered.
func TestVoters(t *testing.T) {
	w, err := world.New(world.Spec{Seed: 1, Cluster: world.ClusterSpec{Brokers: 1, Controllers: 3, KRaftVersion: 1}})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Do(world.Command{Verb: world.VerbAddController, Name: "controller-104"}); err != nil {
		t.Fatal(err)
	}
	w.RunUntil(kafka.Instant(2 * kafka.Second))
	var b view.Builder
	var c view.Cluster
	look := func(id kafka.NodeID) (voter bool, offered string) {
		b.Build(w, view.Options{}, &c)
		d := view.Inspect(w, &trace.Log{}, &c, view.Selection{Kind: "controller", Node: id})
		for _, a := range d.Actions {
			if strings.Contains(a.Command, "voter") {
				offered += a.Command
			}
		}
		for i := range c.Controllers {
			if c.Controllers[i].ID == id {
				voter = c.Controllers[i].Voter
			}
		}
		return voter, offered
	}
	if voter, offered := look(104); voter || offered != "add-voter controller-104" || c.KRaftVersion != 1 {
		t.Errorf("104 votes: %v, offered %q", voter, offered)
	}
	if err := w.Do(world.Command{Verb: world.VerbAddVoter, Name: "controller-104"}); err != nil {
		t.Fatal(err)
	}
	w.RunUntil(kafka.Instant(3 * kafka.Second))
	if err := w.Do(world.Command{Verb: world.VerbCrash, Nodes: []string{"controller-104"}}); err != nil {
		t.Fatal(err)
	}
	if voter, offered := look(104); !voter || offered != "remove-voter controller-104" {
		t.Errorf("104 votes: %v, offered %q", voter, offered)
	}
	if got := strings.Join(view.QuorumStatus(&c), "\n"); !strings.Contains(got, `{"id": 104, "directoryId": "wAAAAAAA`) {
		t.Errorf("no voter 104 with its directory in\n%s", got)
	}
}

// Of a combined cluster the tool tells brokers as voters, at the broker's host, and as
// observers those that vote for nobody.
func TestQuorumStatusOfCombined(t *testing.T) {
	w, err := world.New(world.Spec{Seed: 2, Cluster: world.ClusterSpec{Brokers: 4, Combined: 3, KRaftVersion: 1}})
	if err != nil {
		t.Fatal(err)
	}
	w.RunUntil(kafka.Instant(kafka.Second))
	var b view.Builder
	var c view.Cluster
	b.Build(w, view.Options{Flights: true}, &c)
	got := strings.Join(view.QuorumStatus(&c), "\n")
	for _, want := range []string{
		"ClusterId:              " + w.ClusterID(), `CurrentVoters:          [{"id": 1, "directoryId": "0Q`, `"endpoints": ["CONTROLLER://broker-1:9093"]}, {"id": 2,`,
		`CurrentObservers:       [{"id": 4, "directoryId": null}]`,
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
	if len(c.Controllers) != 3 || !c.Controllers[0].Combined || !c.Controllers[2].Voter {
		t.Errorf("%+v", c.Controllers)
	}
	in := view.Inspect(w, &trace.Log{}, &c, view.Selection{Kind: "broker", Node: 2})
	var roles, quorum string
	for _, r := range in.Rows {
		switch r.Name {
		case "process.roles":
			roles = r.Value
		case "controller":
			quorum = r.Value
		}
	}
	if roles != "broker,controller" || !strings.Contains(quorum, "epoch") {
		t.Errorf("process.roles %q, controller %q", roles, quorum)
	}
}
