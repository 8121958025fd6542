package scenario

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/trace"
)

// Functions about what retention and the cleaner do to logs.

// evalSize is the bytes in all segments of a replica.
func evalSize(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(r.Log.Size())
}

// evalCleanedTo is the offset below which the cleaner has been.
func evalCleanedTo(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	return number(int64(r.Log.CleanedTo()))
}

// evalLogDir is where a broker keeps a replica.
func evalLogDir(e *env, a []Arg) (Value, string) {
	dir := e.LogDir(a[1].Node, a[0].TP)
	return text(dir, dir != "")
}

// evalFutureDir is where a broker's replica moves to.
func evalFutureDir(e *env, a []Arg) (Value, string) {
	dir := e.FutureDir(a[1].Node, a[0].TP)
	return text(dir, dir != "")
}

// evalDirBytes is how much a log directory holds.
func evalDirBytes(e *env, a []Arg) (Value, string) {
	n, ok := e.DirBytes(a[0].Node, a[1].Name)
	if !ok {
		return none("it has no log directory " + a[1].Name)
	}
	return number(n)
}

// evalGoneDirs lists the folders that a broker has given up.
func evalGoneDirs(e *env, a []Arg) (Value, string) {
	return Value{Type: TypeTexts, Texts: e.GoneDirs(a[0].Node)}, ""
}

// evalOfflineDirs lists the log directories that a broker has given up.
func evalOfflineDirs(e *env, a []Arg) (Value, string) {
	return Value{Type: TypeTexts, Texts: e.OfflineDirs(a[0].Node)}, ""
}

// evalHorizons counts the batches with a delete horizon.
func evalHorizons(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	var n int64
	for b := range r.Log.Batches(r.Log.LogStart()) {
		if _, ok := b.Header.DeleteHorizon(); ok {
			n++
		}
	}
	return number(n)
}

// evalHorizon is the latest delete horizon, counted from the scenario's start.
func evalHorizon(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeTime, N: int64(kafka.Never)}
	for b := range r.Log.Batches(r.Log.LogStart()) {
		if ms, ok := b.Header.DeleteHorizon(); ok {
			if at := int64(kafka.InstantOfUnixMilli(ms)); v.N == int64(kafka.Never) || at > v.N {
				v.N = at
			}
		}
	}
	return v, ""
}

// evalCodecs lists the codecs of the batches.
func evalCodecs(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica(a)
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeTexts}
	for b := range r.Log.Batches(r.Log.LogStart()) {
		if len(v.Texts) == listMax {
			return none("there are more than " + num(listMax) + " batches")
		}
		v.Texts = append(v.Texts, b.Header.Attributes.Codec().String())
	}
	return v, ""
}

// nullText is how an expectation writes that there is no value, outside a list.
const nullText = "null"

// evalLatest is the value of a key to a reader of the whole log.
func evalLatest(e *env, a []Arg) (Value, string) {
	r, _, why := e.replica([]Arg{a[0], a[2]})
	if why != "" {
		return none(why)
	}
	v := Value{Type: TypeText, Text: nullText}
	for b := range r.Log.Batches(r.Log.LogStart()) {
		if b.Header.Attributes.Control() {
			continue
		}
		for rec, err := range record.Records(b.Raw) {
			if err != nil {
				return none("the log cannot be read: " + err.Error())
			}
			if rec.Key != nil && string(rec.Key) == a[1].Name {
				if v.Text = recordText(rec.Value); rec.Value == nil {
					v.Text = nullText
				}
			}
		}
	}
	return v, ""
}

func matchCleaned(n *trace.Note, a []Arg) bool {
	return about(n, trace.CleanerDone, a[0]) && n.Node == a[1].Node
}

func matchCleaningStarted(n *trace.Note, a []Arg) bool {
	return about(n, trace.CleanerStarted, a[0]) && n.Node == a[1].Node
}

func matchUncleanable(n *trace.Note, a []Arg) bool {
	return about(n, trace.Uncleanable, a[0]) && n.Node == a[1].Node
}

func matchSegmentDeleted(n *trace.Note, a []Arg) bool {
	return about(n, trace.SegmentDeleted, a[0]) && n.Node == a[1].Node
}

// matchDeletedAt looks for the deletion of the segment that held an offset.
func matchDeletedAt(n *trace.Note, a []Arg) bool {
	return about(n, trace.SegmentDeleted, a[0]) && n.Node == a[1].Node && int64(n.From) <= a[2].N && a[2].N < int64(n.Offset)
}

func matchFetchErrors(n *trace.Note, a []Arg) bool {
	return about(n, trace.FetchError, a[0]) && n.Node == a[1].Node && n.Err == a[2].Code
}

func matchOffline(n *trace.Note, a []Arg) bool {
	return n.Kind == trace.DirectoryOffline && n.Node == a[0].Node
}
