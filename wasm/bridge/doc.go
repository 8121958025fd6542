// Package bridge is the only place of ours that touches JavaScript: what the
// app needs of its page (page*.go) and how app and stage talk (stage*.go).
//
// It owns the protocol and refuses to know what the bytes mean, beyond that
// they are a display list. Neither module imports the other.
//
// # The stage's protocol
//
// The app lives in the page, the stage in a same-origin iframe that keeps no
// state. They share one ArrayBuffer, each wrapping it in a Uint8Array of its own
// realm, because copying wants an array of the copier's realm.
//
//	page: wasm/app                          iframe: wasm/stage
//	Connect: window.highwaterStage = {...}
//	                                        hello(wake)   when its main starts, also after a reload
//	Events.Ready <──────────────────────────┘
//	Request ───wake()──────────────────────> schedules a frame
//	Events.Frame(ms) <──frame()──────────── in its Update
//	  Publish(list) into the buffer ──n───> copies n bytes out, decodes, draws
//	Painted <───────────painted(µs)──────── CPU time of copy, decode and draw
//
// frame returns the number of bytes of a list that the stage has not seen, 0 if
// there is none; it is negative if the buffer was replaced by a bigger one, which
// the stage then fetches from highwaterStage.buffer.
//
// Nobody asks, nobody draws: a paused page paints no frames. Publish outside of
// Frame wakes the stage by itself. While there is no stage (it is loading, or
// it was reloaded), Request falls back to the page's own animation frame, so
// the model goes on; the last list is handed over when the stage says hello.
//
// A lost WebGL context makes ebiten reload its frame; a new device pixel ratio
// makes the app call Reload. Both end in hello.
package bridge
