package producer

import (
	"strconv"

	"github.com/highwater-sim/highwater/engine/client"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/highwater-sim/highwater/engine/trace"
)

// workload says when the next record is due.
type workload struct {
	from  kafka.Instant // when it was started, resumed or got its rate
	n     int64         // records due since then
	next  kafka.Instant // when record n+1 is due; Never: none
	armed kafka.Instant // what the record timer is set to
}

// app is the application's thread, which calls send() and may be blocked in it.
type app struct {
	orders []Produce // not yet handed to send(), oldest first
	busy   bool      // blocked in send() with rec
	memory bool      // it waits for memory, not for metadata
	until  kafka.Instant
	rec    outgoing
}

// outgoing is a record on its way through send(). The slices are its own.
type outgoing struct {
	id        int64
	topic     int32 // index in the metadata
	partition int32 // -1: the partitioner decides
	key       []byte
	hasKey    bool
	value     []byte
	tombstone bool
	header    []byte // identity, if the value does not carry it
	timestamp int64  // -1: now
}

// startWork begins the workload's schedule anew at now.
func (p *Producer) startWork(now kafka.Instant) {
	p.work.from, p.work.n = now, 0
	p.schedule()
}

func (p *Producer) schedule() {
	switch {
	case p.rate == 0, p.paused, p.closing, p.cfg.Count > 0 && p.ledger.worked >= p.cfg.Count:
		p.work.next = kafka.Never
	default:
		p.work.next = due(p.work.from, p.work.n+1, p.rate)
	}
}

// runApp lets the application's thread run until it blocks or has nothing to do.
func (p *Producer) runApp(now kafka.Instant, out *sim.Out) {
	if p.app.busy && !p.resume(now, out) {
		return
	}
	for {
		switch {
		case len(p.app.orders) > 0:
			p.nextOrdered()
		case p.work.next <= now:
			p.nextOfWork()
		default:
			return
		}
		p.app.until = now.Add(p.opt.maxBlock)
		p.app.busy = true
		if !p.resume(now, out) {
			return
		}
	}
}

// resume goes on with the record in send() and reports whether send() returned.
func (p *Producer) resume(now kafka.Instant, out *sim.Out) (returned bool) {
	switch p.send(now, out) {
	case sendBlocked:
		return false
	case sendFailed: // noted where it was found
	case sendDone:
	}
	p.app.busy, p.app.memory = false, false
	return true
}

func (p *Producer) nextOfWork() {
	r := &p.app.rec
	p.begin(r, p.cfg.Topic, p.cfg.Partition, -1)
	p.ledger.worked++
	p.work.n++
	p.schedule()
	r.key, r.hasKey = r.key[:0], p.cfg.Keys > 0
	if r.hasKey {
		r.key = strconv.AppendInt(append(r.key, 'k'), p.keys.IntN(p.cfg.Keys), 10)
	}
	r.value = client.AppendIdentity(r.value[:0], p.cfg.Name, r.id, p.cfg.ValueBytes)
}

func (p *Producer) nextOrdered() {
	o := &p.app.orders[0]
	r := &p.app.rec
	p.begin(r, o.Topic, max(o.Partition, -1), o.Timestamp)
	r.key, r.hasKey = append(r.key[:0], o.Key...), o.HasKey
	r.value = r.value[:0]
	switch {
	case o.Tombstone:
		r.tombstone = true
		r.header = client.AppendIdentity(r.header, p.cfg.Name, r.id, 0)
	case o.Value == "":
		r.value = client.AppendIdentity(r.value, p.cfg.Name, r.id, 0)
	default:
		r.value = append(r.value, o.Value...)
		r.header = client.AppendIdentity(r.header, p.cfg.Name, r.id, 0)
	}
	if o.N--; o.N == 0 {
		p.app.orders = append(p.app.orders[:0], p.app.orders[1:]...)
	}
}

// begin gives the record its number: it counts as sent from here.
func (p *Producer) begin(r *outgoing, topic string, partition int32, timestamp int64) {
	r.id = p.ledger.next
	p.ledger.next++
	r.topic = int32(p.meta.Add(topic))
	r.partition, r.timestamp = partition, timestamp
	r.tombstone, r.header = false, r.header[:0]
}

func (r *outgoing) keyBytes() []byte {
	if !r.hasKey {
		return nil
	}
	return r.key[:len(r.key):len(r.key)]
}

func (r *outgoing) valueBytes() []byte {
	if r.tombstone {
		return nil
	}
	return r.value
}

// sendResult is how a try of send() ended.
type sendResult uint8

const (
	sendDone sendResult = iota
	sendFailed
	sendBlocked
)

// send is KafkaProducer.doSend for the record in the application's hand.
func (p *Producer) send(now kafka.Instant, out *sim.Out) sendResult {
	r := &p.app.rec
	if p.closing {
		return p.fail(now, kafka.UnknownServerError, "Producer closed while send in progress", out)
	}
	t := p.meta.Topic(int(r.topic))
	known := t.Known && len(t.Parts) > 0
	switch {
	case t.Err == kafka.InvalidTopic:
		return p.fail(now, kafka.InvalidTopic, "Invalid topics: ["+t.Name+"]", out)
	case known && int(r.partition) < len(t.Parts):
	case now >= p.app.until && known:
		return p.fail(now, kafka.RequestTimedOut, "Partition "+strconv.Itoa(int(r.partition))+" of topic "+t.Name+" with partition count "+
			strconv.Itoa(len(t.Parts))+" is not present in metadata after "+strconv.FormatInt(p.opt.maxBlock.Millis(), 10)+" ms.", out)
	case now >= p.app.until:
		return p.fail(now, kafka.RequestTimedOut, "Topic "+t.Name+" not present in metadata after "+strconv.FormatInt(p.opt.maxBlock.Millis(), 10)+" ms.", out)
	default:
		p.meta.Request()
		p.dirty = true
		return sendBlocked
	}
	p.acc.grow(int(r.topic), len(t.Parts), p)
	key, headers := r.keyBytes(), r.headers()
	size := record.HeaderSize + record.RecordSizeMax(key, r.valueBytes(), headers)
	if size > p.opt.maxRequest {
		return p.fail(now, kafka.MessageTooLarge, "The message is "+strconv.Itoa(size)+" bytes when serialized which is larger than "+
			strconv.Itoa(p.opt.maxRequest)+", which is the value of the max.request.size configuration.", out)
	}
	if int64(size) > p.opt.memory {
		return p.fail(now, kafka.MessageTooLarge, "The message is "+strconv.Itoa(size)+" bytes when serialized which is larger than the total memory buffer you have configured with the buffer.memory configuration.", out)
	}
	partition := r.partition
	if partition < 0 && r.hasKey && !p.opt.ignoreKeys {
		partition = kafka.PartitionForKey(key, int32(len(t.Parts)))
	}
	if p.append(now, partition, size, headers) {
		return sendDone
	}
	if now >= p.app.until {
		return p.fail(now, kafka.RequestTimedOut, "Failed to allocate "+strconv.Itoa(max(size, p.opt.batchSize))+" bytes within the configured max blocking time "+
			strconv.FormatInt(p.opt.maxBlock.Millis(), 10)+" ms. Total memory: "+strconv.FormatInt(p.opt.memory, 10)+" bytes. Available memory: "+
			strconv.FormatInt(p.acc.free, 10)+" bytes.", out)
	}
	p.app.memory, p.dirty = true, true
	return sendBlocked
}

func (r *outgoing) headers() []record.RecordHeader {
	if len(r.header) == 0 {
		return nil
	}
	return []record.RecordHeader{{Key: client.IdentityHeader, Value: r.header}}
}

// fail ends send() with an exception: the record never reached a batch.
func (p *Producer) fail(now kafka.Instant, code kafka.ErrorCode, why string, out *sim.Out) sendResult {
	r := &p.app.rec
	p.ledger.failed.Add(r.id)
	p.ledger.errors.Add(now, code)
	p.ledger.given.Add(now, code)
	n := trace.Note{Kind: trace.ProduceFailed, Who: p.cfg.Name, Err: code, N: 1, Say: why}
	if r.partition >= 0 {
		n.Topic, n.Part = p.meta.Topic(int(r.topic)).Name, r.partition
	}
	out.Note(n)
	return sendFailed
}
