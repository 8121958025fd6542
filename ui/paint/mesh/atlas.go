package mesh

import (
	"image"
	"unicode/utf8"

	"github.com/highwater-sim/highwater/ui/scene/display"
	"github.com/highwater-sim/highwater/ui/theme"
	"golang.org/x/image/font"
	"golang.org/x/image/font/opentype"
	"golang.org/x/image/math/fixed"
)

// AtlasSize is the width and height of the texture of glyphs.
const AtlasSize = 1024

// shifts is how many places within a pixel a glyph is rasterised for.
const shifts = 4

// Atlas holds glyphs as premultiplied white on transparent, rasterised when
// first used.
type Atlas struct {
	Pix []byte // RGBA, AtlasSize x AtlasSize
	// Dirty are the rectangles that changed since the painter took them.
	Dirty []image.Rectangle

	generation int
	x, y, line int
	fonts      [3]*opentype.Font
	sizes      []*sized
	last       *sized
}

// sized is a font at a size in half device px.
type sized struct {
	face   theme.Face
	halves int
	font   font.Face
	ascii  [shifts][128]glyph
	more   map[rune]*[shifts]glyph
}

// glyph is where a glyph lies in the atlas, and its place from the pen.
type glyph struct {
	x, y, w, h int16
	dx, dy     int16
	done       bool
}

// Fonts are the files of the faces, by theme.Face: the Go fonts. They are not
// part of the program, because the site serves the same files to the page.
type Fonts [3][]byte

// NewAtlas parses the fonts.
func NewAtlas(fonts Fonts) (*Atlas, error) {
	a := &Atlas{Pix: make([]byte, AtlasSize*AtlasSize*4), x: 1, y: 1}
	for i, ttf := range fonts {
		f, err := opentype.Parse(ttf)
		if err != nil {
			return nil, err
		}
		a.fonts[i] = f
	}
	return a, nil
}

// at returns a font at a size, made when first asked for.
func (a *Atlas) at(face theme.Face, halves int) *sized {
	if s := a.last; s != nil && s.face == face && s.halves == halves {
		return s
	}
	for _, s := range a.sizes {
		if s.face == face && s.halves == halves {
			a.last = s
			return s
		}
	}
	f, err := opentype.NewFace(a.fonts[face], &opentype.FaceOptions{Size: float64(halves) / 2, DPI: 72, Hinting: font.HintingNone})
	if err != nil {
		return nil
	}
	s := &sized{face: face, halves: halves, font: f, more: map[rune]*[shifts]glyph{}}
	a.sizes = append(a.sizes, s)
	a.last = s
	return s
}

// clear forgets all glyphs: the atlas was full.
func (a *Atlas) clear() {
	a.generation++
	a.x, a.y, a.line = 1, 1, 0
	clear(a.Pix)
	a.Dirty = append(a.Dirty[:0], image.Rect(0, 0, AtlasSize, AtlasSize))
	a.sizes, a.last = a.sizes[:0], nil
}

func (a *Atlas) glyph(s *sized, r rune, shift int) *glyph {
	var g *glyph
	if r < 128 {
		g = &s.ascii[shift][r]
	} else {
		row := s.more[r]
		if row == nil {
			row = new([shifts]glyph)
			s.more[r] = row
		}
		g = &row[shift]
	}
	if !g.done {
		a.raster(s, r, shift, g)
	}
	return g
}

// raster draws a glyph into the atlas.
func (a *Atlas) raster(s *sized, r rune, shift int, g *glyph) {
	g.done = true
	dot := fixed.Point26_6{X: fixed.Int26_6(shift * 64 / shifts)}
	dr, mask, at, _, ok := s.font.Glyph(dot, r)
	w, h := dr.Dx(), dr.Dy()
	if !ok || w <= 0 || h <= 0 {
		return
	}
	if w > AtlasSize/4 || h > AtlasSize/4 {
		return // no text of ours is that big
	}
	if a.x+w+1 > AtlasSize {
		a.x, a.y, a.line = 1, a.y+a.line+1, 0
	}
	if a.y+h+1 > AtlasSize {
		a.clear()
		return
	}
	g.x, g.y, g.w, g.h = int16(a.x), int16(a.y), int16(w), int16(h)
	g.dx, g.dy = int16(dr.Min.X), int16(dr.Min.Y)
	alpha, isAlpha := mask.(*image.Alpha)
	for j := range h {
		for i := range w {
			var v byte
			if isAlpha {
				v = alpha.AlphaAt(at.X+i, at.Y+j).A
			} else {
				_, _, _, c := mask.At(at.X+i, at.Y+j).RGBA()
				v = byte(c >> 8)
			}
			o := ((a.y+j)*AtlasSize + a.x + i) * 4
			a.Pix[o], a.Pix[o+1], a.Pix[o+2], a.Pix[o+3] = v, v, v, v
		}
	}
	a.Dirty = append(a.Dirty, image.Rect(a.x, a.y, a.x+w, a.y+h))
	a.x += w + 1
	a.line = max(a.line, h)
}

// glyphs lays a text out and adds a quad for each glyph.
func (m *Mesh) glyphs(o *display.Op) {
	text := m.list.TextOf(o)
	if len(text) == 0 || !m.color(o.Fill) || int(o.Face) >= len(m.atlas.fonts) {
		return
	}
	size := o.Size * m.scale
	s := m.atlas.at(o.Face, max(2, int(size*2+0.5)))
	if s == nil {
		return
	}
	x := o.X * m.scale
	switch o.Align {
	case display.Middle:
		x -= theme.Width(o.Face, text, size) / 2
	case display.End:
		x -= theme.Width(o.Face, text, size)
	}
	y := round(o.Y * m.scale)
	generation := m.atlas.generation
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		text = text[n:]
		if r != ' ' {
			cell := int(floor(x))
			shift := int((x - float32(cell)) * shifts)
			g := m.atlas.glyph(s, r, min(max(shift, 0), shifts-1))
			if m.atlas.generation != generation {
				return // Build starts again
			}
			m.glyph(g, float32(cell), y)
		}
		x += theme.Advance(o.Face, r, size)
	}
}

func floor(v float32) float32 {
	f := float32(int(v))
	if f > v {
		f--
	}
	return f
}

func (m *Mesh) glyph(g *glyph, x, y float32) {
	if g.w == 0 {
		return
	}
	x0, y0 := x+float32(g.dx), y+float32(g.dy)
	u0, v0 := float32(g.x), float32(g.y)
	w, h := float32(g.w), float32(g.h)
	m.upright(x0, y0, x0+w, y0+h, u0, v0, u0+w, v0+h, 0, 0, 0, modeGlyph)
}
