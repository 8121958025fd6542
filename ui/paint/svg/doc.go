// Package svg paints a display list as SVG: posters, downloads and golden
// tests.
//
// It owns the translation of operations to elements, and nothing else: what is
// in the picture was decided by ui/scene. It refuses scripts, links and fonts
// in the file; the text uses the Go fonts where they are installed.
//
//	scene.List ──Render──> <svg viewBox="0 0 W H"> one <g> per layer </svg>
package svg
