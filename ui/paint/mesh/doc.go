// Package mesh turns a display list into triangles: one vertex buffer, one
// index buffer, and one texture that holds the glyphs in use.
//
// It owns pixels: snapping to the device's grid, dashes, curves as strips,
// figures as fans, and the rasterising of glyphs, once per font, size and
// quarter of a pixel. It refuses any graphics library, so that it can be tested
// and measured without a screen; ui/paint/canvas hands its buffers to one.
//
// Every operation becomes quads whose fragments know their place: a signed
// distance gives antialiased edges at any pixel ratio.
//
//	vertex: Dst     device px
//	        Src     place within the figure, in device px from its centre; for a
//	                glyph its place in the atlas
//	        Color   premultiplied
//	        Custom  half width, half height, radius, mode
//	mode:   0 filled   >0 stroked inside the edge, that wide   -1 glyph
//	        <= -2 hatched: -2 - width - 16*floor(4*period)
package mesh
