package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// exprParser reads one expectation.
type exprParser struct {
	p    *parser
	st   *statement
	ts   []token
	i    int
	from kafka.Instant // the span that the words around the condition give
	to   kafka.Instant
	bad  bool // a problem is reported; the rest would only follow from it
}

func (e *exprParser) fail(col int, text string) {
	if !e.bad {
		e.p.problem(e.st.line, col, text)
	}
	e.bad = true
}

// tok is the token at the cursor; past the end it is empty, with a column.
func (e *exprParser) tok() token {
	if e.i < len(e.ts) {
		return e.ts[e.i]
	}
	end := token{col: e.st.col2, sign: true}
	if n := len(e.ts); n > 0 {
		end.col = e.ts[n-1].col + len(e.ts[n-1].text)
	}
	return end
}

// word takes an unquoted word if it is next.
func (e *exprParser) word(w string) bool {
	if t := e.tok(); !t.sign && !t.quoted && t.text == w {
		e.i++
		return true
	}
	return false
}

// take takes a sign if it is next.
func (e *exprParser) take(s string) bool {
	if t := e.tok(); t.sign && t.text == s {
		e.i++
		return true
	}
	return false
}

func (e *exprParser) need(s, where string) {
	if !e.take(s) {
		e.fail(e.tok().col, "expected "+s+" "+where+e.found())
	}
}

func (e *exprParser) found() string {
	if e.i >= len(e.ts) {
		return ", but the line ends"
	}
	return ", not " + clip(e.tok().text)
}

// expect reads what follows the word expect.
func (p *parser) expect(st *statement) *Expect {
	x := &Expect{From: p.at, To: p.at, Text: st.rest}
	e := &exprParser{p: p, st: st}
	var bad string
	var col int
	if e.ts, bad, col = tokens(st.rest, st.col2); bad != "" {
		e.fail(col, bad)
		return x
	}
	e.from, e.to = p.at, p.at
	switch {
	case e.word("within"):
		x.Form = FormWithin
		e.to = p.at + kafka.Instant(e.duration("after within"))
	case e.word("always"):
		x.Form = FormAlways
	case e.word("never"):
		x.Form = FormNever
	case e.word("eventually"):
		x.Form = FormEventually
	}
	if !e.bad {
		x.Cond = e.cond()
	}
	if !e.bad && (x.Form == FormAlways || x.Form == FormNever) {
		e.span(x.Form)
	}
	if !e.bad && e.i < len(e.ts) {
		e.fail(e.tok().col, "left over after the expectation: "+clip(e.tok().text)+e.spanHint(x.Form))
	}
	if x.From, x.To = e.from, e.to; x.To > instantMax {
		e.fail(st.col2, "the expectation reaches to "+x.To.String()+"; a scenario has at most "+kafka.Duration(instantMax).String())
	}
	return x
}

func (e *exprParser) spanHint(f Form) string {
	if slices.Contains([]string{"for", "until", "from"}, e.tok().text) && f != FormAlways && f != FormNever {
		return "; a span goes with always or never, as in: expect always up(broker-1) until 9s"
	}
	return ""
}

// duration takes a duration that is more than 0.
func (e *exprParser) duration(where string) kafka.Duration {
	t := e.tok()
	d, ok := parseDuration(t.text)
	if !ok || d == 0 || t.sign || t.quoted {
		e.fail(t.col, "expected a duration such as 5s "+where+e.found())
		return 0
	}
	e.i++
	return d
}

// span reads: for 5s | until 20s | from 5s until 20s.
func (e *exprParser) span(f Form) {
	form := map[Form]string{FormAlways: "always", FormNever: "never"}[f]
	switch {
	case e.word("for"):
		e.to = e.from + kafka.Instant(e.duration("after for"))
		return
	case e.word("from"):
		col := e.tok().col
		e.from = kafka.Instant(e.duration("after from"))
		if e.from < e.p.at {
			e.fail(col, "from "+e.from.String()+" is in the past of this step")
		}
	}
	if e.bad {
		return
	}
	if !e.word("until") {
		e.fail(e.tok().col, form+" needs its span: for 5s, until 20s, or from 5s until 20s"+e.found())
		return
	}
	col := e.tok().col
	e.to = kafka.Instant(e.duration("after until"))
	if !e.bad && e.to <= e.from {
		e.fail(col, "nothing is left to look at: until "+e.to.String()+" is not after "+e.from.String())
	}
}

// cond reads: [not] operand [op operand].
func (e *exprParser) cond() Cond {
	c := Cond{Not: e.word("not")}
	col := e.tok().col
	c.Left = e.operand()
	if e.bad {
		return c
	}
	if c.Op = e.op(); c.Op == OpTrue {
		if c.Left.Type != TypeBool {
			e.fail(e.tok().col, "expected a comparison ("+strings.Join(opText[1:], " ")+") after a "+c.Left.Type.String()+e.found())
		}
		return c
	}
	rcol := e.tok().col
	if c.Right = e.operand(); e.bad {
		return c
	}
	e.unify(&c, col, rcol)
	return c
}

func (e *exprParser) op() Op {
	if e.word("in") {
		return OpIn
	}
	for o := OpEq; o < OpIn; o++ {
		if e.take(opText[o]) {
			return o
		}
	}
	return OpTrue
}

// unify gives the literals of a comparison the type of the other side, or says
// why the two cannot be compared.
func (e *exprParser) unify(c *Cond, lcol, rcol int) {
	if c.Left.lit() && c.Right.lit() {
		e.fail(lcol, "both sides are fixed, so this says nothing about the cluster")
		return
	}
	if c.Op == OpIn {
		if !c.Right.lit() && c.Right.Type != TypeBrokers && c.Right.Type != TypeNumbers {
			e.fail(rcol, "in needs a set, a list or a range on its right")
			return
		}
		if c.Right.lit() {
			c.Right.Terms[0].Lit = e.listOf(c.Right.Terms[0].Lit, c.Left.Type, rcol)
		} else if c.Left.lit() {
			c.Left.Terms[0].Lit = e.convert(c.Left.Terms[0].Lit, elementOf(c.Right.Type), lcol)
		}
		return
	}
	switch {
	case c.Right.lit():
		c.Right.Terms[0].Lit = e.convert(c.Right.Terms[0].Lit, c.Left.Type, rcol)
	case c.Left.lit():
		c.Left.Terms[0].Lit = e.convert(c.Left.Terms[0].Lit, c.Right.Type, lcol)
	case c.Left.Type != c.Right.Type:
		e.fail(rcol, "a "+c.Left.Type.String()+" cannot be compared with a "+c.Right.Type.String())
	}
	t := c.Left.Type
	if c.Left.lit() {
		t = c.Right.Type
	}
	if c.Op > OpNe && t != TypeNumber && t != TypeTime {
		e.fail(rcol, "only numbers and times have an order; compare a "+t.String()+" with == or !=")
	}
}

func elementOf(list Type) Type {
	if list == TypeBrokers {
		return TypeBroker
	}
	return TypeNumber
}

// lit reports whether the operand is one literal.
func (o Operand) lit() bool { return len(o.Terms) == 1 && o.Terms[0].Func == nil }

// convert turns a literal into a type, or says what was expected.
func (e *exprParser) convert(v Value, t Type, col int) Value {
	out := v
	out.Type = t
	ok := v.Type == t
	switch {
	case t == TypeBroker && v.Type == TypeNumber:
		ok = true
	case t == TypeBroker && v.Type == TypeNone:
		out.N, ok = int64(kafka.NoNode), true
	case t == TypeNumber && v.Type == TypeNone:
		out.N, ok = int64(kafka.NoOffset), true
	case t == TypeText && (v.Type == TypeNumber || v.Type == TypeTime || v.Type == TypeBool || v.Type == TypeBroker):
		ok = true // the word was kept in Text
	case t == TypeText && v.Type == TypeNone:
		out.Text, ok = "NONE", true
	case t == TypeBrokers && v.Type == TypeTexts:
		return e.listOf(v, TypeBroker, col)
	case t == TypeNumbers && v.Type == TypeTexts:
		return e.listOf(v, TypeNumber, col)
	case t == TypeTexts && v.Type == TypeTexts:
		return e.listOf(v, TypeText, col)
	}
	if !ok {
		e.fail(col, "this is compared with a "+t.String()+", but "+v.describe())
	}
	return out
}

// describe says what a literal is.
func (v Value) describe() string {
	if v.Type == TypeText {
		return clip(v.Text) + " is a text"
	}
	return v.Type.String() + " was written"
}

// listOf turns a literal { }, [ ] or range into one of elements of type t.
func (e *exprParser) listOf(v Value, t Type, col int) Value {
	switch v.Type {
	case TypeRange:
		if v.elem != t && !(v.elem == TypeNumber && t == TypeBroker) {
			e.fail(col, "a "+t.String()+" cannot be in a range of "+v.elem.String()+"s")
		}
		return v
	case TypeTexts:
	default:
		e.fail(col, "expected {1, 2}, [0, 120] or a range 0..5; "+v.describe())
		return v
	}
	out := Value{Type: TypeNumbers, elem: t}
	switch t {
	case TypeText:
		out.Type, out.Texts = TypeTexts, v.Texts
		return out
	case TypeBroker:
		out.Type = TypeBrokers
	case TypeNumber, TypeTime:
	default:
		e.fail(col, "a "+t.String()+" cannot be in a list")
		return v
	}
	for _, s := range v.Texts {
		n, ok := element(s, t)
		if !ok {
			e.fail(col, clip(s)+" is not a "+t.String())
			return v
		}
		out.List = append(out.List, n)
	}
	if t == TypeBroker {
		slices.Sort(out.List)
		if n := len(out.List); len(slices.Compact(out.List)) < n {
			e.fail(col, "a broker is twice in the set")
		}
	}
	return out
}

// element reads one element of a list of numbers, brokers or times.
func element(s string, t Type) (int64, bool) {
	switch t {
	case TypeBroker:
		if id, ok := nodeID(s); ok {
			return int64(id), true
		}
		return parseInt(s, -1, 1<<31-1)
	case TypeTime:
		d, ok := parseDuration(s)
		return int64(d), ok
	}
	return parseInt(s, -1<<63, 1<<63-1)
}
