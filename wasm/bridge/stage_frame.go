//go:build js && wasm

package bridge

import (
	"errors"
	"syscall/js"
)

// Page is the stage's end of the bridge.
type Page struct {
	frame, painted js.Value
	object, perf   js.Value
	bytes          js.Value // the frame's view of the shared buffer
	began          float64
}

// Parent finds the app's end in the page around this frame and says hello; wake
// is called whenever there is something to draw. Without an app it is an error.
func Parent(wake func()) (*Page, error) {
	parent := js.Global().Get("parent")
	if !parent.Truthy() {
		return nil, errors.New("bridge: the stage runs in a frame of a page only")
	}
	object := parent.Get(stageObject)
	if !object.Truthy() {
		return nil, errors.New("bridge: the page has no app yet")
	}
	p := &Page{object: object, perf: js.Global().Get("performance")}
	p.frame = object.Get("frame").Call("bind", object)
	p.painted = object.Get("painted").Call("bind", object)
	p.wrap()
	object.Call("hello", js.FuncOf(func(js.Value, []js.Value) any {
		wake()
		return nil
	}))
	return p, nil
}

func (p *Page) wrap() {
	p.bytes = js.Global().Get("Uint8Array").New(p.object.Get("buffer"))
}

// Frame asks the page for this frame's list and copies it into dst, which grows
// as needed; fresh is false if there is nothing new.
func (p *Page) Frame(dst []byte) (list []byte, fresh bool) {
	n := p.frame.Invoke().Int()
	p.began = p.perf.Call("now").Float()
	if n < 0 {
		p.wrap()
		n = -n
	}
	if n == 0 {
		return dst[:0], false
	}
	if cap(dst) < n {
		dst = make([]byte, n+n/2)
	}
	dst = dst[:n]
	js.CopyBytesToGo(dst, p.bytes)
	return dst, true
}

// Painted tells the page that a frame was drawn and what it cost since Frame
// returned, in microseconds of this thread.
func (p *Page) Painted() {
	p.painted.Invoke((p.perf.Call("now").Float() - p.began) * 1000)
}

// DevicePixelRatio is this frame's, which ebiten reads only once as well.
func DevicePixelRatio() float64 {
	if r := js.Global().Get("devicePixelRatio"); r.Type() == js.TypeNumber && r.Float() > 0 {
		return r.Float()
	}
	return 1
}
