package law_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// mutation breaks one rule of the engine.
type mutation struct {
	rule     string // as it is broken
	file     string
	old, new string // old stands in the file once
	caught   string // by which law, when it was last looked at
}

var mutations = []mutation{
	{"the high watermark is the leader's log end offset", "broker/partition.go",
		"\t\t\thw = r.leo\n", "\t\t\t_ = r.leo\n", "high watermark"},
	{"the high watermark moves below min.insync.replicas", "broker/partition.go",
		"\tif p.underMinISR() {\n\t\treturn\n\t}\n\tleo :=", "\tleo :=", "frozen high watermark"},
	{"the ISR takes a follower before the epoch's start", "broker/isr.go",
		"r.leo < p.hw || r.leo < p.epochStart", "r.leo < p.hw", "joining the ISR"},
	{"a follower does not truncate where it diverges", "broker/fetcher.go",
		"if rp.DivergingEpoch.Epoch >= 0 {", "if rp.DivergingEpoch.Epoch >= 1<<30 {", "liveness"},
	{"a follower truncates to its high watermark", "broker/truncate.go",
		"\tb.truncate(p, to, out)\n\tf.name(p)", "\tto = min(p.hw, to)\n\tb.truncate(p, to, out)\n\tf.name(p)", "leader candidate"},
	{"acks=all is answered before the high watermark", "broker/produce.go",
		"p.waits[n].required <= p.hw", "p.waits[n].required <= b.log(p).LEO()", "acks"},
	{"consumers read up to the log end offset", "broker/fetch.go",
		"upTo := p.hw ", "upTo := l.LEO() ", "committed read"},
	{"anybody alive is elected", "controller/change.go",
		"return (slices.Contains(b.isr, r) || len(b.isr) == 0 && slices.Contains(b.targetELR, r)) && b.acceptable(r)",
		"return b.acceptable(r)", "unclean choice"},
	{"a new leader has the old leader epoch", "metadata/apply_parts.go",
		"\t\tn.LeaderEpoch++\n", "", "epoch"},
	{"a fenced broker stays in the ISR", "controller/heartbeat.go",
		"recs := c.leaderAndISR(update{remove: id, add: kafka.NoNode, unclean: kafka.NoNode}, inISR(id))\n\treturn append(recs, c.registrationChange(id, 1, 0))",
		"return []metadata.Record{c.registrationChange(id, 1, 0)}", "no fenced broker in ISR"},
	{"a broker that ended uncleanly stays in the ELR", "controller/register.go",
		"if clean || !c.head.ELREnabled() {", "if true || clean || !c.head.ELREnabled() {", "unclean restart"},
	{"a full ISR leaves an ELR", "controller/change.go",
		"\t\tb.targetELR, b.targetLast = nil, nil\n\t\treturn\n", "\t\treturn\n", "ELR"},
	{"a voter votes for a shorter log", "raft/vote.go",
		"upToDate := r.upToDate(", "upToDate := true || r.upToDate(", "quorum leader"},
	{"a voter votes twice in an epoch", "raft/vote.go",
		"return r.voted == candidate", "return true", "quorum leader"},
	{"a minority commits metadata", "raft/leader.go",
		"ends[(len(ends)-1)/2]", "ends[len(ends)-1]", "quorum majority"},
	{"the cleaner drops the latest value", "storage/rewrite.go",
		"ok && rec.Offset < at", "ok && rec.Offset == at", "cleaner"},
	{"retention takes what is not committed", "storage/retention.go",
		"hw < end || !rule(", "!rule(", "retention"},
}

// mutationSeeds is how many seeds of the soak may go by before one catches it.
const mutationSeeds = "400"

// TestMutations breaks the rules one at a time in a copy of the engine and demands
// that the soak tells. It takes minutes: set HIGHWATER_MUTATE=1 to run it. Which
// law is the first to be broken depends on what the seeds draw, so another one than
// the table's is worth a look and no failure.
func TestMutations(t *testing.T) {
	if os.Getenv("HIGHWATER_MUTATE") == "" {
		t.Skip("set HIGHWATER_MUTATE=1")
	}
	dir := t.TempDir()
	for _, name := range []string{"engine", "scenarios"} {
		if err := os.CopyFS(filepath.Join(dir, name), os.DirFS(filepath.Join("..", "..", name))); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum"} {
		b, err := os.ReadFile(filepath.Join("..", "..", name))
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range mutations {
		t.Run(m.rule, func(t *testing.T) { m.run(t, dir) })
	}
}

// lawOf finds the law in what the soak prints.
var lawOf = regexp.MustCompile(`(?m)^law broken at \S+: ([^:]+): .*$`)

func (m *mutation) run(t *testing.T, dir string) {
	path := filepath.Join(dir, "engine", m.file)
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(whole), m.old); n != 1 {
		t.Fatalf("%s has %d places like %q", m.file, n, m.old)
	}
	defer os.WriteFile(path, whole, 0o666)
	if err := os.WriteFile(path, []byte(strings.Replace(string(whole), m.old, m.new, 1)), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Minute)
	defer cancel()
	out, err := command(ctx, dir, "go", "build", "-o", "highwater", "./engine/cmd/highwater")
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	out, err = command(ctx, dir, "./highwater", "soak", "-seeds", mutationSeeds)
	var exit *exec.ExitError
	if err == nil {
		t.Fatalf("not caught in %s seeds", mutationSeeds)
	}
	if !errors.As(err, &exit) {
		t.Fatal(err)
	}
	law, text := "liveness", out[strings.LastIndex(out, "\nline ")+1:]
	if found := lawOf.FindStringSubmatch(out); found != nil {
		law, text = found[1], found[0]
	} else if at := strings.LastIndex(out, "\npanic: "); at >= 0 {
		law, text = "panic", out[at+1:]
	}
	t.Logf("%s, after %d seeds: %s", law, strings.Count(out, "ok seed ")+1, text)
	if law != m.caught {
		t.Logf("the table says %s", m.caught)
	}
}

func command(ctx context.Context, dir, name string, args ...string) (string, error) {
	c := exec.CommandContext(ctx, name, args...)
	c.Dir = dir
	out, err := c.CombinedOutput()
	return string(out), err
}
