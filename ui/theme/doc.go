// Package theme is colour, type and spacing as data, in one place for the
// canvas, the SVG pictures and the page.
//
// It owns the palettes (dark, light; Okabe-Ito, Tol muted or high contrast for
// keys), the advance widths of the Go fonts, and the CSS that prints them. It
// refuses geometry and knows nothing of Kafka but the names of its states.
//
//	Theme ──CSS()──> --hw-* variables ──> web/css, ui/panel
//	  └────────────> ui/scene ──> display list ──> canvas, SVG
//
// The names of the CSS variables are stable:
//
//	--hw-bg        behind everything          --hw-accent    selection, links, play
//	--hw-panel     side panels, bars          --hw-leader    a leader
//	--hw-row       a broker's row             --hw-insync    in sync, healthy, done
//	--hw-card      cards, buttons             --hw-warn      out of sync, cut, slow
//	--hw-raised    the current step, hover    --hw-bad       loss, error, offline
//	--hw-well      sunken fields, logs        --hw-hw        high watermark
//	--hw-line      borders                    --hw-lso       last stable offset, control records
//	--hw-text      text                       --hw-on-accent text on --hw-accent
//	--hw-soft      prose                      --hw-key-0..7  colours of keys
//	--hw-muted     labels, secondary text     --hw-shadow    under dialogs
//	--hw-font      --hw-mono                  font stacks
//	--hw-size-tiny -small -body -title -big   type in px
//	--hw-space-1..6                           4 8 12 16 24 32 px
//	--hw-radius-s -m -l                       4 8 10 px
package theme
