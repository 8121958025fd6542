package display

import (
	"encoding/binary"
	"errors"
	"math"

	"github.com/highwater-sim/highwater/ui/theme"
)

// Version is the first byte of the binary form.
const Version = 1

// Limits of the binary form: a decoder refuses more.
const (
	OpsMax  = 1 << 20
	TextMax = 1 << 22
)

// ErrDecode is what Decode returns for bytes that are no display list.
var ErrDecode = errors.New("display: not a display list")

// AppendBinary appends the list in the form that the stage reads: a header,
// then one record per operation with the fields that its kind uses, little
// endian, then the text. Hits stay behind: the stage has no use for them.
//
//	u8 version, u8 0, u16 0, f32 W, H, DPR, u32 bg, u32 ops, u32 text bytes
func (l *List) AppendBinary(dst []byte) []byte {
	le := binary.LittleEndian
	dst = append(dst, Version, 0, 0, 0)
	for _, f := range [...]float32{l.W, l.H, l.DPR} {
		dst = le.AppendUint32(dst, math.Float32bits(f))
	}
	dst = le.AppendUint32(dst, uint32(l.Bg))
	dst = le.AppendUint32(dst, uint32(len(l.Ops)))
	dst = le.AppendUint32(dst, uint32(len(l.Text)))
	for i := range l.Ops {
		dst = l.Ops[i].append(dst)
	}
	return append(dst, l.Text...)
}

// headerLen is the size of the header.
const headerLen = 4 + 6*4

// An operation's first byte holds its kind in the low four bits and flags: a
// fill, a stroke; its second byte form, dash, align and face by kind.
const (
	flagFill   = 0x10
	flagStroke = 0x20
)

func (o *Op) append(dst []byte) []byte {
	switch o.Kind {
	case Layer:
		return append(dst, byte(o.Kind), byte(o.Form))
	case Clip:
		return f32s(append(dst, byte(o.Kind), 0), o.X, o.Y, o.W, o.H)
	case Glyphs:
		dst = append(dst, byte(o.Kind), byte(o.Align)|byte(o.Face)<<2)
		dst = color(f32s(dst, o.X, o.Y, o.Size), o.Fill)
		dst = binary.LittleEndian.AppendUint32(dst, uint32(o.From))
		return binary.LittleEndian.AppendUint16(dst, uint16(o.Len))
	case Hatch:
		return color(f32s(append(dst, byte(o.Kind), 0), o.X, o.Y, o.W, o.H, o.R, o.Width, o.Size), o.Fill)
	}
	head, second := byte(o.Kind), byte(o.Dash)
	if o.Fill&0xff != 0 {
		head |= flagFill
	}
	if o.Stroke&0xff != 0 && o.Width > 0 {
		head |= flagStroke
	}
	if o.Kind == Shape {
		second = byte(o.Form)
	}
	dst = append(dst, head, second)
	switch o.Kind {
	case Quad:
		dst = f32s(dst, o.X, o.Y, o.W, o.H, o.R)
	case Line:
		dst = f32s(dst, o.X, o.Y, o.W, o.H)
	case Curve:
		dst = f32s(dst, o.X, o.Y, o.W, o.H, o.A, o.B, o.C, o.D)
	case Shape:
		dst = f32s(dst, o.X, o.Y, o.R)
	}
	if head&flagFill != 0 {
		dst = color(dst, o.Fill)
	}
	if head&flagStroke != 0 {
		dst = f32s(color(dst, o.Stroke), o.Width)
	}
	return dst
}

func f32s(dst []byte, fs ...float32) []byte {
	for _, f := range fs {
		dst = binary.LittleEndian.AppendUint32(dst, math.Float32bits(f))
	}
	return dst
}

func color(dst []byte, c theme.Color) []byte {
	return binary.LittleEndian.AppendUint32(dst, uint32(c))
}

// Decode reads what AppendBinary wrote into l, reusing its memory. It checks
// everything: broken bytes give ErrDecode and leave l empty.
func Decode(src []byte, l *List) error {
	l.Reset()
	r := reader{src: src}
	head := r.take(headerLen)
	if head == nil || head[0] != Version {
		return ErrDecode
	}
	h := reader{src: head[4:]}
	l.W, l.H, l.DPR, l.Bg = h.f32(), h.f32(), h.f32(), h.color()
	ops, text := h.u32(), h.u32()
	if ops > OpsMax || text > TextMax || int(ops)*2+int(text) > len(src)-headerLen || l.DPR <= 0 {
		return ErrDecode
	}
	for range ops {
		l.Ops = append(l.Ops, Op{})
		o := &l.Ops[len(l.Ops)-1]
		if !r.op(o) || o.From < 0 || int(o.From)+int(o.Len) > int(text) {
			l.Reset()
			return ErrDecode
		}
	}
	b := r.take(int(text))
	if r.bad || len(r.src) != 0 {
		l.Reset()
		return ErrDecode
	}
	l.Text = append(l.Text, b...)
	return nil
}

type reader struct {
	src []byte
	bad bool
}

func (r *reader) take(n int) []byte {
	if n < 0 || len(r.src) < n {
		r.bad = true
		return nil
	}
	b := r.src[:n]
	r.src = r.src[n:]
	return b
}

func (r *reader) u32() uint32 {
	if b := r.take(4); b != nil {
		return binary.LittleEndian.Uint32(b)
	}
	return 0
}

func (r *reader) u16() uint16 {
	if b := r.take(2); b != nil {
		return binary.LittleEndian.Uint16(b)
	}
	return 0
}

// farthest is the largest coordinate that a list may hold: no screen is bigger.
const farthest = 1 << 16

// f32 reads a number; what is none (NaN, infinite, absurd) makes the list bad.
func (r *reader) f32() float32 {
	f := math.Float32frombits(r.u32())
	if !(f > -farthest && f < farthest) {
		r.bad = true
		return 0
	}
	return f
}

func (r *reader) color() theme.Color { return theme.Color(r.u32()) }

func (r *reader) op(o *Op) bool {
	head := r.take(2)
	if head == nil {
		return false
	}
	o.Kind = Kind(head[0] & 0x0f)
	switch o.Kind {
	case Layer:
		o.Form = Form(head[1])
		return o.Form <= LayerFocus
	case Clip:
		o.X, o.Y, o.W, o.H = r.f32(), r.f32(), r.f32(), r.f32()
		return !r.bad
	case Glyphs:
		o.Align, o.Face = Align(head[1]&3), theme.Face(head[1]>>2)
		o.X, o.Y, o.Size, o.Fill = r.f32(), r.f32(), r.f32(), r.color()
		o.From, o.Len = int32(r.u32()), int32(r.u16())
		return !r.bad && o.Align <= End && o.Face <= theme.Mono && o.Size > 0 && o.Size < 1000
	case Hatch:
		o.X, o.Y, o.W, o.H, o.R, o.Width, o.Size = r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), r.f32()
		o.Fill = r.color()
		return !r.bad && o.Size > 0
	case Quad:
		o.X, o.Y, o.W, o.H, o.R, o.Dash = r.f32(), r.f32(), r.f32(), r.f32(), r.f32(), Dash(head[1])
	case Line:
		o.X, o.Y, o.W, o.H, o.Dash = r.f32(), r.f32(), r.f32(), r.f32(), Dash(head[1])
	case Curve:
		o.X, o.Y, o.W, o.H = r.f32(), r.f32(), r.f32(), r.f32()
		o.A, o.B, o.C, o.D, o.Dash = r.f32(), r.f32(), r.f32(), r.f32(), Dash(head[1])
	case Shape:
		o.X, o.Y, o.R, o.Form = r.f32(), r.f32(), r.f32(), Form(head[1])
		if o.Form > Pentagon {
			return false
		}
	default:
		return false
	}
	if head[0]&flagFill != 0 {
		o.Fill = r.color()
	}
	if head[0]&flagStroke != 0 {
		o.Stroke, o.Width = r.color(), r.f32()
	}
	return !r.bad && o.Dash <= Dotted
}
