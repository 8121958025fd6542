//go:build js && wasm

package bridge

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// FileMax is the most bytes of a file that the page reads.
const FileMax = 64 << 20

// bindFiles takes files that are dropped anywhere on the page.
func (b *Browser) bindFiles() {
	b.on("dragover", func(e dom.Event) { e.PreventDefault() }) // else the browser leaves the page for the file
	b.on("drop", func(e dom.Event) {
		e.PreventDefault()
		if t := e.Underlying().Get("dataTransfer"); t.Truthy() {
			b.readFile(t.Get("files"))
		}
	})
}

// readFile reads the first file of a list and tells of it.
func (b *Browser) readFile(files js.Value) {
	if !files.Truthy() || files.Length() == 0 {
		return
	}
	file := files.Index(0)
	name := file.Get("name").String()
	if file.Get("size").Float() > FileMax {
		b.events.File(name, nil)
		return
	}
	var yes, no js.Func
	settle := func(read func(args []js.Value) []byte) js.Func {
		return js.FuncOf(func(_ js.Value, args []js.Value) any {
			b.guard(func() { b.events.File(name, read(args)) })
			yes.Release()
			no.Release()
			return nil
		})
	}
	yes = settle(func(args []js.Value) []byte {
		array := b.global.Get("Uint8Array").New(args[0])
		data := make([]byte, array.Length())
		js.CopyBytesToGo(data, array)
		return data
	})
	no = settle(func([]js.Value) []byte { return nil })
	file.Call("arrayBuffer").Call("then", yes, no)
}

// DownloadBytes offers a file with these bytes.
func (b *Browser) DownloadBytes(name string, data []byte) {
	array := b.global.Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	b.offer(name, "application/octet-stream", array)
}
