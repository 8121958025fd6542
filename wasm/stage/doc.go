//go:build js && wasm

// Command stage is the second WebAssembly module: it runs in a same-origin
// iframe, asks the page for display lists and paints them with Ebitengine.
//
// It owns a canvas and nothing else. It keeps no state and takes no input, so it
// may be reloaded at any moment: on a new device pixel ratio, on a lost context.
// It draws only when the page asks for a frame.
//
//	page: wasm/app ──wasm/bridge──> stage: Decode ──> paint/canvas
package main
