//go:build js && wasm

package main

import (
	"time"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/highwater-sim/highwater/ui/paint/canvas"
	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/wasm/bridge"
)

// stage is the ebiten game: every frame it asks, copies, paints.
type stage struct {
	page    *bridge.Page
	painter *canvas.Painter
	bytes   []byte
	list    display.List
	scale   float64
	asked   bool // Update has asked the page for this frame
}

// Update asks the page for this frame's list.
func (s *stage) Update() error {
	s.ask()
	return nil
}

// ask gets this frame's list, once a frame. Bytes that are no list are skipped:
// the picture stays as it was.
func (s *stage) ask() {
	if s.asked {
		return // a second tick of the same frame
	}
	s.asked = true
	var fresh bool
	if s.bytes, fresh = s.page.Frame(s.bytes); fresh {
		if err := display.Decode(s.bytes, &s.list); err != nil {
			println(err.Error())
		}
	}
}

// Draw paints the last list. Ticks are not frames: one that comes early has no
// Update, and what it was woken for must not be lost.
func (s *stage) Draw(screen *ebiten.Image) {
	s.ask()
	s.painter.Paint(screen, &s.list)
	s.page.Painted()
	s.asked = false
}

// Layout is replaced by LayoutF.
func (s *stage) Layout(w, h int) (int, int) { return w, h }

// LayoutF makes a pixel of the screen a pixel of the device.
func (s *stage) LayoutF(w, h float64) (float64, float64) { return w * s.scale, h * s.scale }

func main() {
	s := &stage{}
	// Deprecated, and still the only way to draw nothing while nothing moves.
	ebiten.SetFPSMode(ebiten.FPSModeVsyncOffMinimum) //lint:ignore SA1019 see above
	ebiten.SetScreenClearedEveryFrame(false)
	var err error
	if s.painter, err = canvas.New(bridge.Fonts()); err != nil {
		panic(err)
	}
	s.scale = bridge.DevicePixelRatio()
	// The app may still be on its way.
	wake := ebiten.ScheduleFrame //lint:ignore SA1019 belongs to FPSModeVsyncOffMinimum
	for {
		if s.page, err = bridge.Parent(wake); err == nil {
			break
		}
		time.Sleep(50 * time.Millisecond)
	}
	if err := ebiten.RunGameWithOptions(s, &ebiten.RunGameOptions{InitUnfocused: true, DisableHiDPI: false}); err != nil {
		panic(err)
	}
}
