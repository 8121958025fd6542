package scenario

import (
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Type is the type of a value in an expectation.
type Type uint8

// The types. A literal may be of several; see assignable.
const (
	TypeNone    Type = iota // the literal none
	TypeNumber              // a count, an offset, an epoch: 7; an unknown offset is none
	TypeBroker              // a node.id: 1, broker-1, none
	TypeTime                // an instant or a span: 34s, never
	TypeBool                // true, false
	TypeText                // a word or "text"
	TypeBrokers             // a set of node.ids: {1, 2}
	TypeNumbers             // a list of numbers: [0, 120]
	TypeTexts               // a list of texts: [a, "b c", null]
	TypeRange               // a literal only: 0..5, 30s..45s; both ends belong to it
)

// String names the type for messages and for the list of functions.
func (t Type) String() string {
	return [...]string{"none", "number", "broker", "time", "true or false", "text", "set of brokers", "list of numbers", "list of texts", "range"}[t]
}

// null is a record's missing key or value in a list of texts.
const null = "\x00null"

// Value is a value of an expectation.
type Value struct {
	Type  Type
	N     int64   // TypeNumber, TypeBroker, TypeTime (ns; kafka.Never for never), TypeBool; low end of a range
	To    int64   // high end of a range
	Text  string  // TypeText
	List  []int64 // TypeBrokers (sorted), TypeNumbers
	Texts []string
	elem  Type // of a range or list literal
}

// String prints the value as a scenario would write it.
func (v Value) String() string {
	switch v.Type {
	case TypeNone:
		return "none"
	case TypeNumber:
		return strconv.FormatInt(v.N, 10)
	case TypeBroker:
		if v.N == int64(kafka.NoNode) {
			return "none"
		}
		return strconv.FormatInt(v.N, 10)
	case TypeTime:
		return printTime(v.N)
	case TypeBool:
		return strconv.FormatBool(v.N != 0)
	case TypeText:
		return printText(v.Text)
	case TypeBrokers:
		return "{" + printNumbers(v.List) + "}"
	case TypeNumbers:
		return "[" + printNumbers(v.List) + "]"
	case TypeTexts:
		out := make([]string, len(v.Texts))
		for i, s := range v.Texts {
			out[i] = printText(s)
		}
		return "[" + strings.Join(out, ", ") + "]"
	}
	lo := Value{Type: v.elem, N: v.N}
	hi := Value{Type: v.elem, N: v.To}
	return lo.String() + ".." + hi.String()
}

// printTime prints an instant to the microsecond, without idle zeros: 30.0204s.
func printTime(n int64) string {
	if kafka.Instant(n) == kafka.Never {
		return "never"
	}
	sign := ""
	if n < 0 {
		sign, n = "-", -n
	}
	frac := strconv.FormatInt(1_000_000+n%int64(kafka.Second)/1000, 10)[1:]
	whole := strconv.FormatInt(n/int64(kafka.Second), 10)
	return sign + strings.TrimSuffix(strings.TrimRight(whole+"."+frac, "0"), ".") + "s"
}

func printText(s string) string {
	switch {
	case s == null:
		return "null"
	case isWord(s):
		return s
	}
	return strconv.Quote(s)
}

// isWord reports whether a text can be written without quotes.
func isWord(s string) bool {
	if s == "" || s == "null" || s == "none" {
		return false
	}
	for _, c := range s {
		letter := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !letter && !strings.ContainsRune("._-#", c) {
			return false
		}
	}
	return true
}

func printNumbers(ns []int64) string {
	out := make([]string, len(ns))
	for i, n := range ns {
		out[i] = strconv.FormatInt(n, 10)
	}
	return strings.Join(out, ", ")
}

// Op compares.
type Op uint8

// The comparisons.
const (
	OpTrue Op = iota // the left side is a truth value of its own
	OpEq
	OpNe
	OpLt
	OpLe
	OpGt
	OpGe
	OpIn
)

var opText = [...]string{"", "==", "!=", "<", "<=", ">", ">=", "in"}

// String is the comparison as it is written.
func (o Op) String() string { return opText[o] }

// Cond is a condition: [not] Left Op Right.
type Cond struct {
	Not   bool
	Left  Operand
	Op    Op
	Right Operand
}

// Operand is a sum of terms; most have one.
type Operand struct {
	Type  Type
	Terms []Term
}

// Term is a function call or a literal.
type Term struct {
	Minus bool
	Func  *Function // nil for a literal
	Args  []Arg
	Lit   Value
	Watch int // index of the watch that a function of the past reads; -1 if none
	text  string
	col   int
}

// Arg is an argument of a function. Which field counts depends on its kind.
type Arg struct {
	Kind     ArgKind
	TP       kafka.TopicPartition
	Node     kafka.NodeID
	Name     string // topic, client, group, text, metric
	N, To    int64  // number; range
	Code     kafka.ErrorCode
	HasRange bool
}

// compare applies the comparison to two values of matching types.
func compare(op Op, l, r Value) bool {
	switch op {
	case OpTrue:
		return l.N != 0
	case OpEq:
		return equal(l, r)
	case OpNe:
		return !equal(l, r)
	case OpLt:
		return l.N < r.N
	case OpLe:
		return l.N <= r.N
	case OpGt:
		return l.N > r.N
	case OpGe:
		return l.N >= r.N
	}
	switch r.Type {
	case TypeRange:
		return l.N >= r.N && l.N <= r.To
	case TypeTexts:
		return slices.Contains(r.Texts, l.Text)
	}
	return slices.Contains(r.List, l.N)
}

func equal(l, r Value) bool {
	switch l.Type {
	case TypeText:
		return l.Text == r.Text
	case TypeBrokers, TypeNumbers:
		return slices.Equal(l.List, r.List)
	case TypeTexts:
		return slices.Equal(l.Texts, r.Texts)
	}
	return l.N == r.N
}
