// Package site builds the static site that is Highwater: one folder of files
// that works from any sub-path of any web server and asks nothing of any other.
//
//	wasm/app, wasm/stage ── go build ──> app.wasm  stage.wasm ─┐
//	GOROOT/lib/wasm ───────────────────> wasm_exec.js          │
//	vugu's module ── its helper script ─> vugu.js              ├─> OUT/… + .gz + .br
//	x/image/font/gofont ───────────────> fonts/                │   manifest.json
//	web/*.html *.css *.js icons ───────> with ?v=hash          │
//	scenarios/**/*.hw ─────────────────> s/ID.html .svg .hw ───┘
//
// The programs are compiled for size: nothing is inlined but what runs for every
// event and frame (wasm.go), and Ebitengine is taken without what a browser never
// runs (lean.go).
//
// It owns the names of the files, the content policy (CSP), the hashes that the
// pages put behind each address, and the compressed copies. It refuses to know
// what a scenario means: it reads only title, chapter, cases and prose
// of the text.
//
// A build is complete or it leaves the old folder as it was.
package site
