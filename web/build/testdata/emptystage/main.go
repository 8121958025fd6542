// Command emptystage is the yardstick for the size of wasm/stage: one triangle.
package main

import (
	"image/color"
	"syscall/js"

	"github.com/hajimehoshi/ebiten/v2"
)

type game struct {
	ink  *ebiten.Image
	live bool
}

// Update does nothing.
func (*game) Update() error { return nil }

// Draw draws the triangle; the first time it tells the page.
func (g *game) Draw(screen *ebiten.Image) {
	corners := []ebiten.Vertex{{DstX: 0, DstY: 0, ColorR: 1, ColorA: 1}, {DstX: 100, DstY: 0, ColorG: 1, ColorA: 1}, {DstX: 0, DstY: 100, ColorB: 1, ColorA: 1}}
	screen.DrawTriangles32(corners, []uint32{0, 1, 2}, g.ink, nil)
	if !g.live {
		g.live = true
		js.Global().Get("parent").Get("highwaterLoader").Call("live")
	}
}

// Layout takes the window as it is.
func (*game) Layout(width, height int) (int, int) { return width, height }

func main() {
	ink := ebiten.NewImage(3, 3)
	ink.Fill(color.White)
	if err := ebiten.RunGameWithOptions(&game{ink: ink}, &ebiten.RunGameOptions{InitUnfocused: true}); err != nil {
		panic(err)
	}
}
