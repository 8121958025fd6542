package scenario

import (
	"testing"
)

// TestWhatTheSoakFound runs what random faults came upon, as short as it gets.
func TestWhatTheSoakFound(t *testing.T) {
	for name, text := range map[string]string{
		// A log start within a batch: the new replica gets the batch whole, and has
		// to begin at its base offset.
		"log start within a batch": `
cluster  brokers=4
topic    t replica-assignment=1:2:3
producer app linger.ms=50 batch.size=100000
at 1s    produce app topic=t n=40
at 2s    delete-records t-0 20
at 3s    reassign t-0 1,2,4
at 20s   expect isr(t-0) == {1, 2, 4}
         expect logstart(t-0, 4) == 20
         expect leo(t-0, 4) == 40
`,
		// A follower that is far behind gets more at a time than a segment holds.
		"more than a segment at a time": `
cluster  brokers=3 replica.lag.time.max.ms=2000
topic    t replica-assignment=1:2:3
producer app topic=t rate=100/s linger.ms=0
at 1s    stop broker-3
at 19s   config topic t segment.bytes=2000
at 20s   start broker-3
at 40s   expect isr(t-0) == {1, 2, 3}
`,
		// A controller that starts again draws the same random numbers: a topic that is
		// made again had the id of the one that was deleted.
		"topic ids after a restart": `
cluster  brokers=3
producer app linger.ms=0
at 1s    crash controller-101
at 2s    start controller-101
at 5s    topic t replica-assignment=1:2:3
at 7s    produce app topic=t n=5
at 9s    delete-topic t
at 12s   crash controller-101
at 13s   start controller-101
at 16s   topic t replica-assignment=1:2:3
at 20s   expect leo(t-0) == 0
         expect hw(t-0) == 0
`,
		// A topic that is made again is another one: a request with the id of the first
		// is refused, though its name is there, until the client has asked for metadata.
		"a topic that is made again": `
cluster  brokers=3
broker   all auto.create.topics.enable=false
topic    t replica-assignment=1:2:3
producer app topic=t rate=10/s linger.ms=0
consumer c assign=t from=earliest
at 5.01s delete-topic t
at 5.03s topic t replica-assignment=1:2:3
at 10s   expect errors(app, UNKNOWN_TOPIC_ID) == 1
         expect errors(c, FETCH_SESSION_ID_NOT_FOUND) == 0
         expect failed(app) == 0
         expect records(t-0) == 49
         expect lag(c, t-0) == 0
`,
		// The follower that a consumer reads from is fenced. The consumer goes on, until
		// it asks for metadata for another reason.
		"a follower that is fenced": `
cluster  brokers=3 racks=a,b,c
broker   all replica.selector.class=org.apache.kafka.common.replica.RackAwareReplicaSelector
topic    t replica-assignment=1:2:3
topic    u replica-assignment=2:1
producer app topic=t rate=20/s linger.ms=0
consumer near assign=t,u from=earliest client.rack=c
at 10s   cut broker-3 controller-101
at 25s   expect fenced(broker-3)
         expect reads_from(near, t-0) == 3
         crash broker-2
at 26s   expect reads_from(near, t-0) == 1
`,
		// A new leader whose high watermark is behind: consumers do not go back, the end
		// of the log is not to be had, until the follower that it waits for is out.
		"a high watermark that is behind": `
cluster  brokers=3
topic    t replica-assignment=1:2:3
producer app topic=t linger.ms=0
consumer c assign=t from=earliest
at 5s    produce app n=10
at 6s    produce app n=5
at 6.1s  expect hw(t-0, 1) == 15
         expect hw(t-0, 2) == 10
         cut broker-2 broker-3
         crash broker-1
at 21s   expect leader(t-0) == 2
         expect hw(t-0) == 10
         expect position(c, t-0) == 15
         consumer late assign=t
at 23s   expect errors(late, OFFSET_NOT_AVAILABLE) > 2
         expect position(late, t-0) == none
         expect errors(c, OFFSET_OUT_OF_RANGE) == 0
at 70s   expect isr(t-0) == {2}
         expect hw(t-0) == 15
         expect position(late, t-0) == 15
         expect resets(c, t-0) == 1
`,
		// DeleteRecords waits for every replica that is not fenced, in the ISR or not.
		"whom DeleteRecords waits for": `
cluster  brokers=3 replica.lag.time.max.ms=5000
topic    t replica-assignment=1:2:3
producer app topic=t linger.ms=0 rate=10/s
at 5s    stop broker-3
at 10s   delete-records t-0 10
at 11s   expect admin_errors(NONE) == 1
         expect logstart(t-0, 2) == 10
         cut broker-1 broker-2
at 25s   expect isr(t-0) == {1}
         expect not fenced(broker-2)
         delete-records t-0 20
at 30s   expect logstart(t-0, 1) == 20
         expect admin_errors(NONE) == 1
at 100s  expect admin_errors(REQUEST_TIMED_OUT) == 1
`,
		// Nobody but the coordinator writes to internal topics.
		"a producer of an internal topic": `
cluster  brokers=3
topic    t replica-assignment=1:2:3
producer app linger.ms=0
consumer g group=g assign=t
at 5s    produce app topic=__consumer_offsets
at 6s    expect failed(app) == 1
         expect last_error(app) == INVALID_TOPIC_EXCEPTION
`,
		// Bootstrap servers that do not lead name one that is none of them. A broker
		// that starts again knows it from its quorum-state, and has to ask it.
		"a leader that is no bootstrap server": `
cluster  brokers=3 controllers=3 kraft.version=1
at 0s    add controller-104
at 2s    add-voter controller-104
at 5s    remove-voter controller-101
at 10s   remove-voter controller-102
at 15s   stop controller-103
at 18s   start controller-103
at 25s   expect quorum_leader() == 104
         crash broker-1
at 26s   start broker-1
at 50s   expect not fenced(broker-1)
`,
	} {
		t.Run(name, func(t *testing.T) { holds(t, name, text) })
	}
}

// holds runs a scenario without its title.
func holds(t *testing.T, name, text string) {
	f, err := Parse("title " + name + "\n" + text)
	if err != nil {
		t.Fatal(err)
	}
	rep := Run(f, Options{})
	if rep.Err != nil {
		t.Error(rep.Err)
	}
	for _, r := range rep.Results {
		if !r.Held {
			t.Errorf("line %d: %s: %s", r.Line, r.Text, r.Why)
		}
	}
}
