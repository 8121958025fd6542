package canvas

import (
	_ "embed"
	"image"
	"image/color"
	"unsafe"

	"github.com/hajimehoshi/ebiten/v2"
	"github.com/highwater-sim/highwater/ui/paint/mesh"
	"github.com/highwater-sim/highwater/ui/scene/display"
)

//go:embed fill.kage
var fill []byte

// The two vertex types are one layout: a change of either breaks the build.
var _ [0]byte = [unsafe.Sizeof(mesh.Vertex{}) - unsafe.Sizeof(ebiten.Vertex{})]byte{}

// Painter paints lists. Make one with New and keep it.
type Painter struct {
	shader  *ebiten.Shader
	atlas   *mesh.Atlas
	texture *ebiten.Image
	mesh    mesh.Mesh
	pix     []byte
	options ebiten.DrawTrianglesShaderOptions
	clips   []clip
}

// clip is a part of the screen that was drawn to before.
type clip struct {
	screen *ebiten.Image
	rect   image.Rectangle
	part   *ebiten.Image
}

// New compiles the shader and parses the fonts.
func New(fonts mesh.Fonts) (*Painter, error) {
	shader, err := ebiten.NewShader(fill)
	if err != nil {
		return nil, err
	}
	atlas, err := mesh.NewAtlas(fonts)
	if err != nil {
		return nil, err
	}
	p := &Painter{shader: shader, atlas: atlas}
	p.texture = ebiten.NewImageWithOptions(image.Rect(0, 0, mesh.AtlasSize, mesh.AtlasSize), &ebiten.NewImageOptions{Unmanaged: true})
	p.options.Images[0] = p.texture
	return p, nil
}

// Paint draws list over the whole screen, whatever its size in device px.
func (p *Painter) Paint(screen *ebiten.Image, list *display.List) {
	r, g, b, _ := list.Bg.RGBA()
	screen.Fill(color.RGBA{r, g, b, 0xff})
	if list.W <= 0 || len(list.Ops) == 0 {
		return
	}
	p.mesh.Build(list, float32(screen.Bounds().Dx())/list.W, p.atlas)
	p.upload()
	if len(p.mesh.Vertices) == 0 {
		return
	}
	vertices := unsafe.Slice((*ebiten.Vertex)(unsafe.Pointer(&p.mesh.Vertices[0])), len(p.mesh.Vertices))
	for _, batch := range p.mesh.Batches {
		if batch.To <= batch.From {
			continue
		}
		target := screen
		if batch.X1 > batch.X0 {
			target = p.part(screen, image.Rect(batch.X0, batch.Y0, batch.X1, batch.Y1))
		}
		// Only the vertices in use: Ebitengine copies all that it is given.
		indices := p.mesh.Indices[batch.From:batch.To]
		low, high := span(indices)
		for i := range indices {
			indices[i] -= low
		}
		target.DrawTrianglesShader32(vertices[low:high+1], indices, p.shader, &p.options)
	}
}

// span is the smallest and the largest index.
func span(indices []uint32) (low, high uint32) {
	low = indices[0]
	for _, i := range indices {
		low, high = min(low, i), max(high, i)
	}
	return low, high
}

// part is a sub-image of the screen, remembered so that a frame makes no garbage.
func (p *Painter) part(screen *ebiten.Image, r image.Rectangle) *ebiten.Image {
	for i := range p.clips {
		if p.clips[i].screen == screen && p.clips[i].rect == r {
			return p.clips[i].part
		}
	}
	if len(p.clips) >= 8 {
		p.clips = p.clips[:0]
	}
	part := screen.SubImage(r).(*ebiten.Image)
	p.clips = append(p.clips, clip{screen, r, part})
	return part
}

// upload sends new glyphs to the texture.
func (p *Painter) upload() {
	for _, r := range p.atlas.Dirty {
		w := r.Dx() * 4
		p.pix = p.pix[:0]
		for y := r.Min.Y; y < r.Max.Y; y++ {
			from := (y*mesh.AtlasSize + r.Min.X) * 4
			p.pix = append(p.pix, p.atlas.Pix[from:from+w]...)
		}
		p.texture.SubImage(r).(*ebiten.Image).WritePixels(p.pix)
	}
	p.atlas.Dirty = p.atlas.Dirty[:0]
}
