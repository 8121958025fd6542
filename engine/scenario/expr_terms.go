package scenario

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// operand reads: term {+|- term}.
func (e *exprParser) operand() Operand {
	first := e.term()
	o := Operand{Type: first.typ(), Terms: []Term{first}}
	for !e.bad {
		col := e.tok().col
		minus := e.take("-")
		if !minus && !e.take("+") {
			break
		}
		t := e.term()
		t.Minus = minus
		if o.Type == TypeBroker || t.typ() != o.Type || o.Type != TypeNumber && o.Type != TypeTime {
			e.fail(col, "only numbers can be added to numbers, and times to times")
		}
		if len(o.Terms) == termsMax {
			e.fail(col, "a sum has at most "+num(termsMax)+" terms")
		}
		o.Terms = append(o.Terms, t)
	}
	if !e.bad && len(o.Terms) > 1 {
		fixed := true
		for _, t := range o.Terms {
			fixed = fixed && t.Func == nil
		}
		if fixed {
			e.fail(first.col, "write the sum of fixed numbers as one number")
		}
	}
	return o
}

func (t Term) typ() Type {
	if t.Func != nil {
		return t.Func.Result
	}
	return t.Lit.Type
}

// term reads a function call or a literal.
func (e *exprParser) term() Term {
	t := e.tok()
	switch {
	case t.sign && (t.text == "{" || t.text == "["):
		return e.listLit()
	case t.sign:
		e.fail(t.col, "expected a function or a value"+e.found())
		return Term{Watch: -1}
	}
	e.i++
	if !t.quoted && e.i < len(e.ts) && e.ts[e.i].sign && e.ts[e.i].text == "(" {
		return e.call(t)
	}
	lit := e.literal(t)
	if e.take("..") {
		hi := e.tok()
		e.i++
		h := e.literal(hi)
		if (lit.Type != TypeNumber && lit.Type != TypeTime) || h.Type != lit.Type || hi.sign {
			e.fail(t.col, "a range goes from number to number or from time to time, as 0..5 or 30s..45s")
		} else if h.N < lit.N {
			e.fail(t.col, "the range "+t.text+".."+hi.text+" ends before it begins")
		}
		lit = Value{Type: TypeRange, elem: lit.Type, N: lit.N, To: h.N}
	}
	return Term{Lit: lit, Watch: -1, text: t.text, col: t.col}
}

// literal types a word by its looks; unify may read it otherwise later.
func (e *exprParser) literal(t token) Value {
	v := Value{Type: TypeText, Text: t.text}
	if t.quoted {
		return v
	}
	if n, ok := parseInt(t.text, -1<<63, 1<<63-1); ok {
		v.Type, v.N = TypeNumber, n
		return v
	}
	if d, ok := parseDuration(t.text); ok {
		v.Type, v.N = TypeTime, int64(d)
		return v
	}
	if id, ok := nodeID(t.text); ok {
		v.Type, v.N = TypeBroker, int64(id)
		return v
	}
	switch t.text {
	case "none":
		v.Type = TypeNone
	case "never":
		v.Type, v.N = TypeTime, int64(kafka.Never)
	case "true":
		v.Type, v.N = TypeBool, 1
	case "false":
		v.Type = TypeBool
	}
	return v
}

// listLit reads {1, 2} or [0, 120] as texts; unify types them.
func (e *exprParser) listLit() Term {
	open := e.tok()
	e.i++
	shut := map[string]string{"{": "}", "[": "]"}[open.text]
	v := Value{Type: TypeTexts}
	for !e.bad && !e.take(shut) {
		if len(v.Texts) > 0 {
			e.need(",", "between elements")
		}
		t := e.tok()
		if t.sign && !e.bad {
			e.fail(t.col, "expected an element or "+shut+e.found())
		}
		e.i++
		if t.text == "null" && !t.quoted {
			t.text = null
		}
		if v.Texts = append(v.Texts, t.text); len(v.Texts) > listMax {
			e.fail(t.col, "a list has at most "+num(listMax)+" elements")
		}
	}
	return Term{Lit: v, Watch: -1, col: open.col}
}

// call reads a function's arguments.
func (e *exprParser) call(name token) Term {
	f := findFunction(name.text)
	if f == nil {
		e.fail(name.col, "unknown function "+clip(name.text)+meant(name.text, functionNames()))
		return Term{Watch: -1}
	}
	e.i++ // the parenthesis
	t := Term{Func: f, Watch: -1, text: name.text, col: name.col}
	shown := []string{}
	for !e.bad && !e.take(")") {
		if len(shown) > 0 {
			e.need(",", "between arguments")
		}
		a := e.tok()
		if !e.bad && len(t.Args) == len(f.Args) {
			e.fail(a.col, "too many arguments: it is "+f.Usage())
		}
		if a.sign && !e.bad {
			e.fail(a.col, "expected an argument: it is "+f.Usage()+e.found())
		}
		if e.bad {
			break
		}
		kind, skipped := f.argAt(len(t.Args), a, e.isRange())
		for range skipped {
			t.Args = append(t.Args, Arg{Kind: ArgAbsent})
		}
		e.i++
		arg, text := e.arg(kind, a)
		t.Args, shown = append(t.Args, arg), append(shown, text)
	}
	if !e.bad && len(t.Args) < len(f.Args)-f.Optional {
		e.fail(name.col, "arguments are missing: it is "+f.Usage())
	}
	for len(t.Args) < len(f.Args) {
		t.Args = append(t.Args, Arg{Kind: ArgAbsent})
	}
	t.text = name.text + "(" + strings.Join(shown, ", ") + ")"
	if f.watches() {
		t.Watch = e.p.watch(&t)
	}
	return t
}

// isRange reports whether the argument at the cursor is a range a..b.
func (e *exprParser) isRange() bool {
	return e.i+1 < len(e.ts) && e.ts[e.i+1].sign && e.ts[e.i+1].text == ".."
}

// arg reads one argument of a kind whose first token is t (already taken).
func (e *exprParser) arg(kind ArgKind, t token) (Arg, string) {
	a, p, line := Arg{Kind: kind, Name: t.text}, e.p, e.st.line
	text := printText(t.text)
	before := len(p.problems)
	switch kind {
	case ArgPartition:
		a.TP, _ = p.partition(line, t.col, t.text)
	case ArgTopic:
		p.topicOf(line, t.col, t.text)
	case ArgBroker:
		a.Node = e.broker(t)
	case ArgController:
		a.Node = e.controller(t)
	case ArgProducer:
		p.clientOf(line, t.col, t.text, "producer")
	case ArgConsumer:
		p.clientOf(line, t.col, t.text, "consumer")
	case ArgClient:
		p.clientOf(line, t.col, t.text, "")
	case ArgReader:
		e.reader(t)
	case ArgError:
		a.Code = e.code(t)
	case ArgMetric:
		at := slices.Index(metricNames(), t.text)
		if a.N = int64(at); at < 0 {
			e.fail(t.col, clip(t.text)+" is not a metric that is measured"+meant(t.text, metricNames()))
		}
	case ArgNumber:
		n, ok := parseInt(t.text, 0, 1<<62)
		if a.N = n; !ok {
			e.fail(t.col, "expected a whole number, not "+clip(t.text))
		}
	case ArgRange:
		a.N, a.To = e.rangeArg(t)
		text = printNumbers([]int64{a.N}) + ".." + printNumbers([]int64{a.To})
	}
	e.bad = e.bad || len(p.problems) > before
	return a, text
}

// broker reads broker-1 or 1.
func (e *exprParser) broker(t token) kafka.NodeID {
	name := t.text
	if n, ok := parseInt(t.text, 1, brokersMax); ok {
		name = "broker-" + num(int(n))
	}
	id, ok := nodeID(name)
	if !ok || !strings.HasPrefix(name, "broker-") {
		e.fail(t.col, clip(t.text)+" is not a broker; write broker-1 or 1")
		return 0
	}
	e.p.process(e.st.line, t.col, name, false)
	return id
}

// reader reads a consumer's or a group's name.
func (e *exprParser) reader(t token) {
	if n := e.p.names; n != nil {
		if c := n.client(t.text); c != nil && c.consumer {
			e.p.clientOf(e.st.line, t.col, t.text, "consumer")
			return
		}
		e.p.groupOf(e.st.line, t.col, t.text)
	}
}

// code reads an error's name as Kafka spells it.
func (e *exprParser) code(t token) kafka.ErrorCode {
	var all []string
	for c := kafka.ErrorCode(-1); c < 200; c++ {
		if c.String() == t.text && (c == kafka.UnknownServerError || t.text != kafka.UnknownServerError.String()) {
			return c
		}
		all = append(all, c.String())
	}
	e.fail(t.col, clip(t.text)+" is not an error of Kafka's"+meant(t.text, all))
	return 0
}

// rangeArg reads a..b of whole numbers, whose first token is taken.
func (e *exprParser) rangeArg(t token) (lo, hi int64) {
	lo, ok := parseInt(t.text, 0, 1<<62)
	if !ok || !e.take("..") {
		e.fail(t.col, "expected offsets from..to, as 0..5, not "+clip(t.text))
		return 0, 0
	}
	h := e.tok()
	e.i++
	if hi, ok = parseInt(h.text, 0, 1<<62); !ok || hi < lo || hi-lo >= listMax {
		e.fail(t.col, "expected offsets from..to with at most "+num(listMax)+" of them, not "+clip(t.text+".."+h.text))
	}
	return lo, hi
}
