// Package canvas paints a display list with Ebitengine: ui/paint/mesh makes the
// triangles, one shader fills them, one texture holds the glyphs.
//
// It owns the shader and the texture, and knows nothing of Kafka. It refuses
// input, time and state: the same list always gives the same picture.
//
//	scene.List ──mesh──> vertices ──one draw call per clip──> screen
//
// Importing Ebitengine panics outside a page, so only wasm/stage imports this.
package canvas
