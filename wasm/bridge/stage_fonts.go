//go:build js && wasm

package bridge

import "syscall/js"

// Fonts are the font files that the frame's script has fetched before it started
// the stage, in the order of theme.Face; nil where it could not.
func Fonts() (fonts [3][]byte) {
	list := js.Global().Get("highwaterFonts")
	for i := range fonts {
		if file := list.Index(i); file.Truthy() {
			fonts[i] = make([]byte, file.Length())
			js.CopyBytesToGo(fonts[i], file)
		}
	}
	return fonts
}
