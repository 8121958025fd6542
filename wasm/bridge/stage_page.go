//go:build js && wasm

package bridge

import (
	"slices"
	"syscall/js"
)

// stageObject is the property of the page's window that the stage looks for.
const stageObject = "highwaterStage"

// bufferMin is the first size of the shared buffer in bytes.
const bufferMin = 1 << 18

// StageEvents are what the app hears of its stage. All are called on the event
// loop and must not block.
type StageEvents struct {
	// Ready: the stage runs, for the first time or again after a reload. The
	// last published list is shown without further ado.
	Ready func()
	// Frame: a frame that Request asked for begins; ms is performance.now().
	// What it publishes is drawn in this frame.
	Frame func(ms float64)
}

// Stage is the app's end of the bridge.
type Stage struct {
	events  StageEvents
	object  js.Value
	bytes   js.Value // the page's view of the shared buffer
	size    int
	length  int  // of the last list
	fresh   bool // the stage has not seen it
	swapped bool // the stage has not seen the buffer
	asked   bool
	raf     js.Value
	rafFunc js.Func
	rafOn   bool
	perf    js.Value
	wake    js.Value
	ready   bool
	inFrame bool
	painted uint64
	cpu     [128]float32 // ms, a ring
}

// Connect installs the app's end. Call it once.
func Connect(events StageEvents) *Stage {
	global := js.Global()
	s := &Stage{events: events, raf: global.Get("requestAnimationFrame"), perf: global.Get("performance")}
	s.object = global.Get("Object").New()
	s.grow(bufferMin)
	s.object.Set("hello", js.FuncOf(func(_ js.Value, args []js.Value) any {
		s.hello(args[0])
		return nil
	}))
	s.object.Set("frame", js.FuncOf(func(js.Value, []js.Value) any { return s.frame() }))
	s.object.Set("painted", js.FuncOf(func(_ js.Value, args []js.Value) any {
		s.cpu[s.painted%uint64(len(s.cpu))] = float32(args[0].Float() / 1000)
		s.painted++
		return nil
	}))
	s.rafFunc = js.FuncOf(func(js.Value, []js.Value) any {
		s.rafOn = false
		s.begin()
		return nil
	})
	global.Set(stageObject, s.object)
	return s
}

func (s *Stage) hello(wake js.Value) {
	s.wake, s.ready, s.swapped = wake, true, true
	s.fresh = s.length > 0
	if s.events.Ready != nil {
		s.events.Ready()
	}
	s.wake.Invoke()
}

// begin runs Frame if somebody asked.
func (s *Stage) begin() {
	if !s.asked {
		return
	}
	s.asked, s.inFrame = false, true
	if s.events.Frame != nil {
		s.events.Frame(s.perf.Call("now").Float())
	}
	s.inFrame = false
}

// frame answers the stage's question for something to draw.
func (s *Stage) frame() int {
	s.begin()
	if !s.fresh {
		return 0
	}
	n := s.length
	if s.swapped {
		n = -n
	}
	s.fresh, s.swapped = false, false
	return n
}

// Request asks for one call of Frame, with the stage's next frame or, without a
// stage, with the page's.
func (s *Stage) Request() {
	if s.asked {
		return
	}
	s.asked = true
	if s.ready {
		s.wake.Invoke()
		return
	}
	if !s.rafOn {
		s.rafOn = true
		s.raf.Invoke(s.rafFunc)
	}
}

// Publish hands a display list to the stage; the bytes are copied.
func (s *Stage) Publish(list []byte) {
	if len(list) > s.size {
		s.grow(2 * len(list))
	}
	js.CopyBytesToJS(s.bytes, list)
	s.length, s.fresh = len(list), true
	if s.ready && !s.inFrame {
		s.wake.Invoke()
	}
}

func (s *Stage) grow(size int) {
	buffer := js.Global().Get("ArrayBuffer").New(size)
	s.bytes = js.Global().Get("Uint8Array").New(buffer)
	s.object.Set("buffer", buffer)
	s.size, s.swapped = size, true
}

// Reload starts the stage anew, as a new device pixel ratio demands: ebiten
// reads it only once.
func (s *Stage) Reload(iframe js.Value) {
	s.ready = false
	iframe.Get("contentWindow").Get("location").Call("reload")
	if s.asked {
		s.asked = false
		s.Request()
	}
}

// Ready reports whether a stage is there.
func (s *Stage) Ready() bool { return s.ready }

// Painted is the number of frames that the stage has drawn.
func (s *Stage) Painted() uint64 { return s.painted }

// CPU is the 95th percentile of the stage's time per frame in milliseconds,
// over the last frames; 0 if there was none.
func (s *Stage) CPU() float64 {
	n := min(int(s.painted), len(s.cpu))
	if n == 0 {
		return 0
	}
	sorted := slices.Clone(s.cpu[:n])
	slices.Sort(sorted)
	return float64(sorted[(n*95+99)/100-1])
}
