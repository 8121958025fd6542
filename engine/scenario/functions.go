package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/trace"
)

// ArgKind is what an argument of a function names.
type ArgKind uint8

// The kinds of argument.
const (
	ArgAbsent     ArgKind = iota // an optional argument that was left out
	ArgPartition                 // payments-0
	ArgTopic                     // payments
	ArgBroker                    // broker-1 or 1
	ArgProducer                  // a producer's name
	ArgConsumer                  // a consumer's name
	ArgClient                    // a producer's or a consumer's name
	ArgReader                    // a consumer's or a group's name
	ArgError                     // NOT_ENOUGH_REPLICAS
	ArgNumber                    // 7
	ArgRange                     // 0..5
	ArgText                      // a word or "text"
	ArgMetric                    // a metric's name, as UnderReplicatedPartitions
	ArgController                // controller-101 or 101
)

var argNames = [...]string{"", "PARTITION", "TOPIC", "BROKER", "PRODUCER", "CONSUMER", "CLIENT", "CONSUMER|GROUP", "ERROR", "N", "FROM..TO", "TEXT", "METRIC", "CONTROLLER"}

// Function is a row of the table of functions.
type Function struct {
	Name     string
	Args     []ArgKind
	Optional int // how many of the last arguments may be left out
	Result   Type
	Doc      string

	// A function of the present reads the world.
	eval func(e *env, a []Arg) (Value, string)
	// A function of the past looks out for notes that match its arguments.
	match func(n *trace.Note, a []Arg) bool
	keep  keep
}

// keep says what of the matching notes a watch keeps.
type keep uint8

const (
	keepNothing keep = iota
	keepFirst        // the instant of the first
	keepLast         // the instant of the latest
	keepCount        // how many
	keepSum          // the sum of what they truncated
)

func (f *Function) watches() bool { return f.keep != keepNothing }

// Usage prints the function with its arguments: hw(PARTITION [, BROKER]).
func (f *Function) Usage() string {
	var b strings.Builder
	b.WriteString(f.Name + "(")
	for i, k := range f.Args {
		optional := i >= len(f.Args)-f.Optional
		switch {
		case optional && i > 0:
			b.WriteString(" [, " + argNames[k] + "]")
		case optional:
			b.WriteString("[" + argNames[k] + "]")
		case i > 0:
			b.WriteString(", " + argNames[k])
		default:
			b.WriteString(argNames[k])
		}
	}
	return b.String() + ")"
}

// argAt returns the kind of the argument that token t gives, of which n came
// before it, and how many optional ones it leaves out.
func (f *Function) argAt(n int, t token, isRange bool) (kind ArgKind, skipped int) {
	for i := n; i < len(f.Args) && i >= len(f.Args)-f.Optional; i++ {
		if (f.Args[i] == ArgRange) == isRange {
			return f.Args[i], i - n
		}
	}
	if n >= len(f.Args) {
		return ArgAbsent, 0 // already reported as too many
	}
	return f.Args[n], 0
}

// Functions lists the functions of expectations in the order of the table:
// by what they are about. The rows must not be changed.
func Functions() []*Function { return functions }

func findFunction(name string) *Function {
	i := slices.IndexFunc(functions, func(f *Function) bool { return f.Name == name })
	if i < 0 {
		return nil
	}
	return functions[i]
}

func functionNames() []string {
	var s []string
	for _, f := range functions {
		s = append(s, f.Name)
	}
	return s
}

// watch is a function of the past with its arguments.
type watch struct {
	fn   *Function
	args []Arg
}

// watch returns the index of the watch for a call, making it if need be.
func (p *parser) watch(t *Term) int {
	for i, w := range p.file.watches {
		if w.fn == t.Func && slices.Equal(w.args, t.Args) {
			return i
		}
	}
	p.file.watches = append(p.file.watches, watch{t.Func, t.Args})
	return len(p.file.watches) - 1
}

// watched is what a watch has seen so far.
type watched struct {
	at    kafka.Instant // kafka.Never if nothing
	count int64
}

// see shows a note to a watch.
func (w *watched) see(k keep, n *trace.Note) {
	w.count++
	switch k {
	case keepFirst:
		w.at = min(w.at, n.At)
	case keepLast:
		w.at = n.At
	case keepSum:
		w.count += int64(n.From-n.Offset) - 1
	}
}

// value is what a function of the past answers.
func (w *watched) value(k keep) Value {
	if k == keepCount || k == keepSum {
		return Value{Type: TypeNumber, N: w.count}
	}
	return Value{Type: TypeTime, N: int64(w.at)}
}
