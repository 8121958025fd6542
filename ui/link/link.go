package link

import (
	"bytes"
	"compress/flate"
	"encoding/base64"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/model"
)

// Limits of what a link may carry.
const (
	// CharsMax is the longest link that Encode makes: more, and mail, chat and
	// QR codes start to break it. Offer the scenario as a file instead.
	CharsMax = 2000
	// ReadableMax is the longest payload that Encode leaves readable.
	ReadableMax = 300
	// InflatedMax is the most that Decode inflates, in bytes.
	InflatedMax = 256 << 10
	// EditsMax is the most edits in a link.
	EditsMax = 5000
	// fragmentMax is the longest fragment that Decode looks at, in bytes.
	fragmentMax = 400 << 10
)

// EngineVersion is raised when the same scenario, seed and edits no longer give
// the same run.
const EngineVersion = 1

// Link is what a link carries: the scenario, what the user did, the moment and
// the look.
type Link struct {
	Engine    int    // engine version; 0 is EngineVersion for Encode
	ID        string // scenario of the library
	Text      string // or its whole text
	Seed      uint64
	HasSeed   bool // Seed is not the scenario's own
	Edits     []model.Edit
	At        kafka.Instant
	HasAt     bool
	Event     uint64 // events so far; 0: all of the instant At
	Selection view.Selection
	Camera    model.Camera
	Speed     int // a stop of model.Speeds; -1: unset
}

// ErrTooLong is Encode's error for a link that would be longer than CharsMax.
var ErrTooLong = errors.New("the link would be too long; save the scenario as a file instead")

// Encode writes the fragment of a link, without its #. base is how long the
// address before it is.
func Encode(l Link, base int) (string, error) {
	best, err := Fragment(l)
	if err == nil && base+1+len(best) > CharsMax {
		return "", ErrTooLong
	}
	return best, err
}

// Fragment is Encode without a limit on the length: for the address of the page
// itself, which a reload needs and nobody has to send.
func Fragment(l Link) (string, error) {
	fields, err := fieldsOf(l)
	if err != nil {
		return "", err
	}
	best := "v1.p." + fields
	if len(fields) > ReadableMax {
		packed, err := deflate(fields)
		if err != nil {
			return "", err
		}
		if d := "v1.d." + packed; len(d) < len(best) {
			best = d
		}
	}
	return best, nil
}

// fieldsOf writes the payload, readable.
func fieldsOf(l Link) (string, error) {
	var w writer
	if l.Engine != 0 && l.Engine != EngineVersion {
		w.field("v", strconv.Itoa(l.Engine))
	}
	switch {
	case l.ID != "" && l.Text != "":
		return "", errors.New("a link carries a scenario's name or its text, not both")
	case l.ID == "" && l.Text == "":
		return "", errors.New("a link needs a scenario")
	case len(l.Edits) > EditsMax:
		return "", errors.New("a link carries at most " + strconv.Itoa(EditsMax) + " edits")
	case len(l.ID) > idMax:
		return "", errors.New("a link cannot carry a scenario's name of " + strconv.Itoa(len(l.ID)) + " bytes")
	case !l.HasAt && l.Event > 0:
		return "", errors.New("a link carries a count of events only with a moment")
	case l.HasAt && (l.At < 0 || l.At == kafka.Never):
		return "", errors.New("a link cannot carry the moment " + l.At.String())
	case l.Camera != cleanCamera(l.Camera):
		return "", errors.New("a link cannot carry this camera")
	case l.Speed < -1 || l.Speed >= len(model.Speeds):
		return "", errors.New("a link cannot carry speed " + strconv.Itoa(l.Speed))
	}
	if l.ID != "" {
		w.field("s", l.ID)
	} else {
		w.field("x", l.Text)
	}
	if l.HasSeed {
		w.field("seed", strconv.FormatUint(l.Seed, 10))
	}
	for _, e := range l.Edits {
		if e.At < 0 || e.At == kafka.Never || e.Text == "" || strings.TrimSpace(e.Text) != e.Text {
			return "", errors.New("a link cannot carry the edit \"" + e.Text + "\" at " + e.At.String())
		}
		w.field("e", instant(e.At)+" "+e.Text)
	}
	if l.HasAt {
		w.field("t", instant(l.At))
		if l.Event > 0 {
			w.field("n", strconv.FormatUint(l.Event, 10))
		}
	}
	sel := model.SelectionText(l.Selection)
	if back, ok := model.ParseSelection(sel); !ok || back != l.Selection {
		return "", errors.New("a link cannot carry this selection")
	}
	if sel != "" {
		w.field("sel", sel)
	}
	if l.Camera != (model.Camera{}) {
		w.field("cam", float(l.Camera.X)+","+float(l.Camera.Y)+","+float(l.Camera.Zoom))
	}
	if l.Speed >= 0 {
		w.field("sp", strconv.Itoa(l.Speed))
	}
	if w.bad != "" {
		return "", errors.New("a link cannot carry " + w.bad)
	}
	if w.b.Len() > InflatedMax {
		return "", ErrTooLong
	}
	return w.b.String(), nil
}

// instant writes whole nanoseconds in the largest unit that divides them.
func instant(t kafka.Instant) string { return kafka.Duration(t).String() }

func float(f float32) string { return strconv.FormatFloat(float64(f), 'f', -1, 32) }

// cleanCamera is the camera as a link can carry it: finite, on hundredths. Not
// a number stays different from itself.
func cleanCamera(c model.Camera) model.Camera {
	ok := func(f float32) bool { return f > -1e6 && f < 1e6 }
	if !ok(c.X) || !ok(c.Y) || !ok(c.Zoom) || c.Zoom < 0 {
		return model.Camera{}
	}
	return c
}

// writer collects fields.
type writer struct {
	b   strings.Builder
	bad string
}

func (w *writer) field(name, value string) {
	if w.b.Len() > 0 {
		w.b.WriteByte('&')
	}
	w.b.WriteString(name)
	w.b.WriteByte('=')
	for i := 0; i < len(value); i++ {
		switch c := value[i]; {
		case c == ' ':
			w.b.WriteByte('+')
		case plain(c):
			w.b.WriteByte(c)
		default:
			const hex = "0123456789ABCDEF"
			w.b.WriteByte('%')
			w.b.WriteByte(hex[c>>4])
			w.b.WriteByte(hex[c&15])
		}
	}
	if !clean(value) {
		w.bad = name + " with control characters or bytes that are not UTF-8"
	}
}

// plain are the bytes that stand for themselves: those that RFC 3986 allows in
// a fragment, without & + % which separate, and ' which some programs cut at.
func plain(c byte) bool {
	switch {
	case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		return true
	}
	return strings.IndexByte("-._~/:@!$()*,;=?", c) >= 0
}

// dictionary is what DEFLATE starts with. It belongs to the format v1.d and can
// never change.
const dictionary = "say ask expect within always eventually never lost(acked(leader(isr(hw(leo(position(committed(lag(records(fenced(" +
	"partition.assignment.strategy=cooperative-sticky enable.idempotence=false delivery.timeout.ms=request.timeout.ms=retries=" +
	"replica.lag.time.max.ms=unclean.leader.election.enable=true auto.offset.reset=earliest latest max.in.flight.requests.per.connection=" +
	"broker.session.timeout.ms=broker.heartbeat.interval.ms=max.block.ms=batch.size=segment.bytes=retention.ms=cleanup.policy=compact " +
	"title chapter durability groups log seed text cluster brokers=3 racks=a,b,c controllers=1 latency=1ms jitter=0ms bandwidth=" +
	"topic payments partitions=3 replication.factor=3 min.insync.replicas=2 replica-assignment=1:2:3,2:3:1,3:1:2 " +
	"producer app topic=payments acks=all acks=1 linger.ms=0 rate=50/s keys=8 size=count= consumer c1 group=billing assign=payments from=earliest work=" +
	"config topic config broker config cluster produce key=value=partition=tombstone n=10 elect unclean pause resume rate seek commit " +
	"powerloss freeze thaw link disk heal all one-way cut broker-1 broker-2,broker-3 stop start crash broker-1 crash broker-2 crash broker-3 " +
	"&e=0ms&t=000ms&n=000&sel=replica:payments-0@1&sel=broker:1&cam=0,0,1&sp=6%0A    at 5s %0Aat 10s %0Aexpect %20s=durability/acks-1&s=log/first-cluster"

func deflate(s string) (string, error) {
	var b bytes.Buffer
	w, err := flate.NewWriterDict(&b, flate.BestCompression, []byte(dictionary))
	if err != nil {
		return "", err
	}
	if _, err := io.WriteString(w, s); err != nil {
		return "", err
	}
	if err := w.Close(); err != nil {
		return "", err
	}
	return base64.RawURLEncoding.EncodeToString(b.Bytes()), nil
}

// inflate undoes deflate, up to InflatedMax bytes.
func inflate(s string) (string, error) {
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return "", err
	}
	r := flate.NewReaderDict(bytes.NewReader(raw), []byte(dictionary))
	out, err := io.ReadAll(io.LimitReader(r, InflatedMax+1))
	if err != nil {
		return "", err
	}
	if len(out) > InflatedMax {
		return "", errors.New("it inflates to more than " + strconv.Itoa(InflatedMax) + " bytes")
	}
	return string(out), nil
}
