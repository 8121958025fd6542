// Command emptystage is the yardstick for the size of wasm/stage: one triangle.
package main

import (
	"image/color"

	"github.com/hajimehoshi/ebiten/v2"
)

type game struct{ ink *ebiten.Image }

// Update does nothing.
func (game) Update() error { return nil }

// Draw draws the triangle.
func (g game) Draw(screen *ebiten.Image) {
	corners := []ebiten.Vertex{{DstX: 0, DstY: 0, ColorR: 1, ColorA: 1}, {DstX: 100, DstY: 0, ColorG: 1, ColorA: 1}, {DstX: 0, DstY: 100, ColorB: 1, ColorA: 1}}
	screen.DrawTriangles32(corners, []uint32{0, 1, 2}, g.ink, nil)
}

// Layout takes the window as it is.
func (game) Layout(width, height int) (int, int) { return width, height }

func main() {
	ink := ebiten.NewImage(3, 3)
	ink.Fill(color.White)
	if err := ebiten.RunGameWithOptions(game{ink}, &ebiten.RunGameOptions{InitUnfocused: true}); err != nil {
		panic(err)
	}
}
