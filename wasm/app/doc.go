//go:build js && wasm

// Command app is the module of the page: it opens a scenario, lets time pass,
// renders the panels and tells the stage what to draw.
//
//	address, library ──> open ──> engine session
//	                                  │ View, Steps, Log
//	pointer, keys, controls ──Msg──> model.Update ──Cmd──> session, browser
//	                                  │
//	         frame (asked of the stage): advance ─> View ─> scene.Build ─> Publish
//	         timer (at most 5 a second while time passes): panel build ─> Diff ─> a few texts, or vugu
//
// It owns the order in which things happen and nothing else: decisions are
// model.Update's, pictures are ui/scene's, words are ui/panel's. The run lives
// here, so the stage may be reloaded at any moment.
//
// A panic anywhere ends in one place, which shows what happened instead of a
// dead page. The address keeps the session.
package main
