package producer

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Config says what a producer is to be.
type Config struct {
	ID        sim.ActorID
	Name      string        // client.id; records are "<Name>#<n>"
	Bootstrap []sim.ActorID // bootstrap.servers: every broker
	Seed      uint64        // the world's

	Topic        string // of the workload, and of Produce orders that name none
	Partition    int32  // >= 0: the workload's records name it; -1: the partitioner decides
	RatePer1000s int64  // records per 1000 s; 0: only what Produce orders send
	Count        int64  // records of the workload; 0 is no limit
	Keys         int64  // k0..k(Keys-1), drawn uniformly; 0: no key
	ValueBytes   int    // values are padded to this size

	Configs []client.Setting // ProducerConfig, by Kafka's names
}

// Produce is an order to send a record, or N equal ones, at once.
type Produce struct {
	Topic     string // "": the producer's own
	Partition int32  // -1: the partitioner decides
	Key       string
	HasKey    bool // an empty key is not the same as none
	Value     string
	Tombstone bool  // null value
	Timestamp int64 // Unix milliseconds; -1: the moment of sending
	N         int64 // how many; at least 1
}

// RateMax is the fastest workload: a million records per second.
const RateMax = 1_000_000_000

// options are the parsed configs; they never change.
type options struct {
	all           client.Settings
	acks          int16
	idempotent    bool
	retries       int64
	delivery      kafka.Duration
	request       kafka.Duration
	linger        kafka.Duration
	maxBlock      kafka.Duration
	backoff       client.Backoff
	batchSize     int
	memory        int64
	maxRequest    int
	inFlight      int
	ignoreKeys    bool
	adaptive      bool
	unavailable   kafka.Duration // partitioner.availability.timeout.ms; 0 is off
	codec         record.Codec
	metadataAge   kafka.Duration
	reconnect     client.Backoff
	preserveOrder bool // max.in.flight 1: at most one batch of a partition is under way
}

func (c *Config) check() error {
	switch {
	case c.Name == "":
		return errors.New("a producer needs a name")
	case len(c.Bootstrap) == 0:
		return fmt.Errorf("producer %s: no bootstrap.servers", c.Name)
	case c.RatePer1000s < 0 || c.RatePer1000s > RateMax:
		return fmt.Errorf("producer %s: a rate of %d per 1000 s is out of range 0..%d", c.Name, c.RatePer1000s, int64(RateMax))
	case c.Count < 0 || c.Keys < 0 || c.ValueBytes < 0 || c.Partition < -1:
		return fmt.Errorf("producer %s: count, keys, value size and partition cannot be negative", c.Name)
	case c.RatePer1000s > 0 && c.Topic == "":
		return fmt.Errorf("producer %s: a workload needs a topic", c.Name)
	}
	return nil
}

// parse checks the configs as ProducerConfig.postProcessAndValidateIdempotenceConfigs
// and KafkaProducer.configureDeliveryTimeout do.
func (c *Config) parse() (*options, error) {
	s, err := client.ParseSettings(kafka.ScopeProducer, c.Configs)
	if err != nil {
		return nil, fmt.Errorf("producer %s: %w", c.Name, err)
	}
	o := &options{
		all: s, retries: s.Int("retries"), idempotent: s.Bool("enable.idempotence"),
		delivery: s.Duration("delivery.timeout.ms"), request: s.Duration("request.timeout.ms"),
		linger: s.Duration("linger.ms"), maxBlock: s.Duration("max.block.ms"), backoff: s.Backoff("retry.backoff"),
		batchSize: int(s.Int("batch.size")), memory: s.Int("buffer.memory"), maxRequest: int(s.Int("max.request.size")),
		inFlight:   int(s.Int("max.in.flight.requests.per.connection")),
		ignoreKeys: s.Bool("partitioner.ignore.keys"), adaptive: s.Bool("partitioner.adaptive.partitioning.enable"),
		unavailable: s.Duration("partitioner.availability.timeout.ms"), metadataAge: s.Duration("metadata.max.age.ms"),
		reconnect: s.Backoff("reconnect.backoff"),
	}
	o.preserveOrder = o.inFlight == 1
	switch s.Text("acks") {
	case "all", "-1":
		o.acks = -1
	case "1":
		o.acks = 1
	}
	var known bool
	if o.codec, known = record.CodecByName(s.Text("compression.type")); !known || !record.HasCodec(o.codec) {
		return nil, fmt.Errorf("producer %s: compression.type %s is not part of this program", c.Name, s.Text("compression.type"))
	}
	if err := o.settleIdempotence(); err != nil {
		return nil, fmt.Errorf("producer %s: %w", c.Name, err)
	}
	if least := o.linger + o.request; o.delivery < least {
		if s.IsSet("delivery.timeout.ms") {
			return nil, fmt.Errorf("producer %s: delivery.timeout.ms should be equal to or larger than linger.ms + request.timeout.ms (%d)", c.Name, least.Millis())
		}
		o.delivery = least
	}
	return o, nil
}

// settleIdempotence turns idempotence off where other configs exclude it and
// nobody asked for it; where somebody did, that is an error. Too many requests in
// flight are one wherever idempotence is not switched off by name, even if acks or
// retries would have done that (ProducerConfig since 4.0).
func (o *options) settleIdempotence() error {
	if !o.idempotent {
		return nil
	}
	asked, why := o.all.IsSet("enable.idempotence"), ""
	switch {
	case asked && o.retries == 0:
		why = "Must set retries to non-zero when using the idempotent producer."
	case asked && o.acks != -1:
		why = "Must set acks to all in order to use the idempotent producer. Otherwise we cannot guarantee idempotence."
	case o.inFlight > 5:
		why = "To use the idempotent producer, max.in.flight.requests.per.connection must be set to at most 5. Current value is " + itoa(o.inFlight) + "."
	default:
		o.idempotent = o.retries != 0 && o.acks == -1
		return nil
	}
	return errors.New(why)
}

// Acks is the config as people write it: "0", "1" or "all".
func (p *Producer) Acks() string {
	switch p.opt.acks {
	case 0:
		return "0"
	case 1:
		return "1"
	}
	return "all"
}

// due is the instant of record n, counted from 1, of a workload that began at
// from: n/rate later, rounded up, so that it is never ahead of its rate.
func due(from kafka.Instant, n, per1000s int64) kafka.Instant {
	const thousandSeconds = 1000 * int64(kafka.Second)
	whole, rest := n/per1000s, n%per1000s
	if whole > math.MaxInt64/thousandSeconds/2 {
		return kafka.Never
	}
	// rest < per1000s <= 1e9 and the product below 1e21 overflows; split it.
	hi := rest * 1_000_000
	q, r := hi/per1000s, hi%per1000s
	at := whole*thousandSeconds + q*1_000_000 + (r*1_000_000+per1000s-1)/per1000s
	return from.Add(kafka.Duration(at))
}

func sortedIDs(ids []sim.ActorID) []sim.ActorID {
	s := slices.Clone(ids)
	slices.Sort(s)
	return slices.Compact(s)
}
