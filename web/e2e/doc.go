// Package e2e drives the built site in a real Chromium, from a sub-path, and asks
// the page through its read-only hook rather than through pixels.
//
//	TestMain ── builds the site ─> temp folder ─> http://127.0.0.1:PORT/some/sub/path/
//	     │                                               │
//	     └─ one Chromium ── one tab per test ────────────┘ console, requests, hook
//
// The hook, window.highwater, is what the page promises to tests:
//
//	ready()   true as soon as a scenario is open and can be asked
//	state()   {scenario, now (ns), playing, speed, digest, frames, events,
//	          selection, problems: [text], brokers: [{id, up, fenced}]}
//
// frames counts the display lists that were handed to the stage. Everything else
// is done as a reader does it: keys and buttons, found by what they are called.
//
// Every test fails on an error in the console, on an exception, on a broken
// content policy, and on a request to anywhere but the site.
//
// HIGHWATER_CHROMIUM names the browser, HIGHWATER_DIST a site that is built
// already, HIGHWATER_SHOTS a folder for screenshots. Without a browser the tests
// are skipped, except under CI=true, where they fail.
package e2e
