package consumer

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Config says what a consumer is to be.
type Config struct {
	ID        sim.ActorID
	Name      string        // client.id
	Bootstrap []sim.ActorID // bootstrap.servers: every broker
	Seed      uint64        // the world's

	Group  string                 // group.id; "": no committed offsets
	Assign []kafka.TopicPartition // assign(); Partition -1 stands for all partitions of the topic
	From   string                 // "", "earliest", "latest" or an offset: seek there at the start
	Work   kafka.Duration         // processing time per record
	// CommitFirst has the application call commitSync() before it works on what
	// poll returned: what a crash then interrupts is never done (at most once).
	CommitFirst bool

	Configs []client.Setting // ConsumerConfig, by Kafka's names
}

// reset is a strategy of auto.offset.reset (AutoOffsetResetStrategy.java).
type reset struct {
	kind  resetKind
	since kafka.Duration // by_duration
}

type resetKind uint8

const (
	resetNone resetKind = iota
	resetEarliest
	resetLatest
	resetByDuration
)

// options are the parsed configs; they never change.
type options struct {
	all         client.Settings
	policy      reset
	autoCommit  kafka.Duration // interval; 0: off
	request     kafka.Duration
	api         kafka.Duration
	backoff     client.Backoff
	reconnect   client.Backoff
	metadataAge kafka.Duration
	minBytes    int32
	maxBytes    int32
	maxWait     int32 // ms
	partBytes   int32
	maxPoll     int
	committed   bool // isolation.level=read_committed
	checkCRC    bool
	rack        string
	start       string // Config.From
	startAt     kafka.Offset
}

func (c *Config) parse() (*options, error) {
	fail := func(err error) (*options, error) { return nil, fmt.Errorf("consumer %s: %w", c.Name, err) }
	switch {
	case c.Name == "":
		return nil, errors.New("a consumer needs a name")
	case len(c.Bootstrap) == 0:
		return fail(errors.New("no bootstrap.servers"))
	case c.Work < 0:
		return fail(errors.New("work per record cannot be negative"))
	case c.CommitFirst && c.Group == "":
		return fail(errors.New("to commit before the work a consumer needs a group"))
	}
	s, err := client.ParseSettings(kafka.ScopeConsumer, c.Configs)
	if err != nil {
		return fail(err)
	}
	o := &options{
		all: s, request: s.Duration("request.timeout.ms"), api: s.Duration("default.api.timeout.ms"),
		backoff: s.Backoff("retry.backoff"), reconnect: s.Backoff("reconnect.backoff"), metadataAge: s.Duration("metadata.max.age.ms"),
		minBytes: int32(s.Int("fetch.min.bytes")), maxBytes: int32(s.Int("fetch.max.bytes")), maxWait: int32(s.Int("fetch.max.wait.ms")),
		partBytes: int32(s.Int("max.partition.fetch.bytes")), maxPoll: int(s.Int("max.poll.records")),
		committed: s.Text("isolation.level") == "read_committed", checkCRC: s.Bool("check.crcs"), rack: s.Text("client.rack"),
		startAt: kafka.NoOffset,
	}
	if c.Group != "" && s.Bool("enable.auto.commit") {
		o.autoCommit = max(s.Duration("auto.commit.interval.ms"), kafka.Nanosecond)
	}
	if o.policy, err = parseReset(s.Text("auto.offset.reset")); err != nil {
		return fail(err)
	}
	if o.start, o.startAt, err = parsePlace(c.From); err != nil {
		return fail(err)
	}
	return o, nil
}

// parsePlace reads "", "earliest", "latest" or an offset.
func parsePlace(s string) (word string, at kafka.Offset, err error) {
	switch s {
	case "", "earliest", "latest":
		return s, kafka.NoOffset, nil
	}
	n, err := strconv.ParseInt(s, 10, 64)
	if err != nil || n < 0 {
		return "", kafka.NoOffset, fmt.Errorf("%q is no place to start: earliest, latest or an offset", s)
	}
	return "offset", kafka.Offset(n), nil
}

// parseReset reads auto.offset.reset (KIP-1106 for by_duration).
func parseReset(s string) (reset, error) {
	switch low := strings.ToLower(s); {
	case low == "earliest":
		return reset{kind: resetEarliest}, nil
	case low == "latest":
		return reset{kind: resetLatest}, nil
	case low == "none":
		return reset{}, nil
	case strings.HasPrefix(low, "by_duration:"):
		d, err := parseISODuration(s[len("by_duration:"):])
		if err != nil {
			return reset{}, err
		}
		return reset{resetByDuration, d}, nil
	}
	return reset{}, &kafka.ConfigError{Scope: kafka.ScopeConsumer, Name: "auto.offset.reset", Value: s,
		Reason: "It must be earliest, latest, none or by_duration with a duration, as in by_duration:PT1H30M"}
}

// isoUnits are the units of an ISO-8601 duration, before and after the T.
var isoUnits = []struct {
	letter byte
	time   bool
	size   kafka.Duration
}{{'D', false, kafka.Day}, {'H', true, kafka.Hour}, {'M', true, kafka.Minute}, {'S', true, kafka.Second}}

// parseISODuration reads the subset of ISO-8601 that java.time.Duration takes,
// without fractions and signs: P2DT3H4M5S.
func parseISODuration(s string) (kafka.Duration, error) {
	bad := fmt.Errorf("%q is not a duration such as PT1H30M or P2D", s)
	rest, found := strings.CutPrefix(strings.ToUpper(s), "P")
	if !found || rest == "" {
		return 0, bad
	}
	var sum kafka.Duration
	unit, clock := 0, false
	for rest != "" {
		if rest[0] == 'T' && !clock {
			if clock, rest = true, rest[1:]; rest == "" {
				return 0, bad
			}
			continue
		}
		end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
		if end < 1 || end > 9 {
			return 0, bad
		}
		n, _ := strconv.ParseInt(rest[:end], 10, 64)
		for unit < len(isoUnits) && (isoUnits[unit].letter != rest[end] || isoUnits[unit].time != clock) {
			unit++
		}
		if unit == len(isoUnits) {
			return 0, bad
		}
		sum += min(kafka.Duration(n), kafka.Duration(kafka.Never)/isoUnits[unit].size/8) * isoUnits[unit].size
		unit++
		rest = rest[end+1:]
	}
	return sum, nil
}
