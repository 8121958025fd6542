// Package model is the state of the page and everything that may happen to it:
// Update(Model, Msg) gives the next Model and the effects (Cmd) that the
// composition root has to carry out. It is pure: no clock, no browser, no
// engine; it runs headless in a test.
//
//	frame, key, pointer, form, link ──Msg──> Update ──> Model ──> ui/panel, ui/scene
//	                                            │
//	                                            └──Cmd──> wasm/app ──> engine session, browser
//	                                                          │
//	                                                          └──Msg (Moved, Opened, Done, Facts)──> Update
//
// It owns: what is selected, where the camera looks, how fast virtual time
// passes and whether it passes at all, which panels are open, drafts of forms,
// what to tell the user, and the log file that the user opened. It refuses to
// know how anything looks (ui/panel, ui/scene) and never touches a Session
// itself: the root does, on a Cmd.
//
// Virtual time per real time is a fraction (Speed); a frame advances by the
// clamped wall-clock delta times that, within an events budget that the root
// keeps, so that a slow machine slows the world down instead of the page.
package model
