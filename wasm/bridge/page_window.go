//go:build js && wasm

package bridge

import (
	"syscall/js"

	"honnef.co/go/js/dom/v2"
)

// bindWindow listens for what happens to the window.
func (b *Browser) bindWindow() {
	on := func(name string, f func()) {
		b.win.AddEventListener(name, false, func(dom.Event) { b.guard(f) })
	}
	on("resize", func() { b.checkRatio(); b.events.Resize() })
	on("popstate", b.events.Address)
	on("hashchange", b.events.Address)
	b.on("visibilitychange", func(dom.Event) { b.events.Visible(!b.Hidden()) })
	for _, query := range []string{"(prefers-color-scheme: light)", "(prefers-reduced-motion: reduce)"} {
		b.media(query).Call("addEventListener", "change", js.FuncOf(func(js.Value, []js.Value) any {
			b.guard(b.events.Scheme)
			return nil
		}))
	}
	b.sizes = b.global.Get("ResizeObserver").New(js.FuncOf(func(js.Value, []js.Value) any {
		b.guard(b.events.Resize)
		return nil
	}))
	b.watch()
	b.dpr = b.Ratio()
	if b.Embedded() {
		b.watchSight()
	}
}

// inSight is the part of an embed that must be visible for time to pass.
const inSight = 0.25

// watchSight tells of an embed that is scrolled out of sight, and into it again,
// as if its tab were hidden.
func (b *Browser) watchSight() {
	box, ok := b.byID("stage-box")
	if !ok {
		return
	}
	observer := b.global.Get("IntersectionObserver").New(js.FuncOf(func(_ js.Value, args []js.Value) any {
		last := args[0].Index(args[0].Length() - 1)
		b.guard(func() { b.events.Visible(last.Get("intersectionRatio").Float() >= inSight && !b.Hidden()) })
		return nil
	}), map[string]any{"threshold": []any{0, inSight}})
	observer.Call("observe", box.Value)
}

// watch tells of new sizes of the page and of the stage's place, which a render
// may have made anew.
func (b *Browser) watch() {
	b.sizes.Call("disconnect")
	app, _ := b.byID("app")
	b.sizes.Call("observe", app.Value)
	if slot := b.doc.Call("querySelector", ".stage-slot"); slot.Truthy() {
		b.sizes.Call("observe", slot)
	}
}

func (b *Browser) media(query string) js.Value { return b.global.Call("matchMedia", query) }

// checkRatio tells when the device pixel ratio has changed; the browser sends
// a resize with it.
func (b *Browser) checkRatio() {
	if r := b.Ratio(); r != b.dpr {
		b.dpr = r
		b.events.Ratio()
	}
}

// Ratio is the device pixel ratio.
func (b *Browser) Ratio() float64 { return b.global.Get("devicePixelRatio").Float() }

// Scheme is the theme that the system asks for.
func (b *Browser) Scheme() string {
	if b.media("(prefers-color-scheme: light)").Get("matches").Bool() {
		return "light"
	}
	return "dark"
}

// ReducedMotion reports whether the system asks for less motion.
func (b *Browser) ReducedMotion() bool {
	return b.media("(prefers-reduced-motion: reduce)").Get("matches").Bool()
}

// Hidden reports whether the tab is hidden.
func (b *Browser) Hidden() bool { return b.doc.Get("hidden").Bool() }

// Address is the page's address without query and fragment, its query, and its
// fragment, each with its sign.
func (b *Browser) Address() (base, query, fragment string) {
	l := b.global.Get("location")
	part := func(name string) string { return l.Get(name).String() }
	return part("origin") + part("pathname"), part("search"), part("hash")
}

// SetAddress renews the fragment; push makes an entry in the history. The query
// names a scenario that is no longer the one shown, so it goes, but for the looks.
func (b *Browser) SetAddress(fragment string, push bool) {
	url := b.global.Get("location").Get("pathname").String()
	query := b.global.Get("URLSearchParams").New(b.global.Get("location").Get("search"))
	sign := "?"
	for _, name := range []string{"embed", "theme", "palette"} {
		if v := query.Call("get", name); v.Truthy() {
			url += sign + name + "=" + b.global.Call("encodeURIComponent", v).String()
			sign = "&"
		}
	}
	url += "#" + fragment
	if push {
		b.global.Get("history").Call("pushState", nil, "", url)
		return
	}
	b.global.Get("history").Call("replaceState", nil, "", url)
}

// SetTitle sets the title of the tab.
func (b *Browser) SetTitle(title string) { b.doc.Set("title", title) }

// Embedded reports whether the page is ?embed=1.
func (b *Browser) Embedded() bool { return b.root.has("data-embed") }

// Theme is the theme that the user chose: "dark", "light" or "".
func (b *Browser) Theme() string {
	return b.root.attr("data-theme")
}

// SetTheme applies a theme.
func (b *Browser) SetTheme(theme string) {
	if theme == "" {
		b.root.Call("removeAttribute", "data-theme")
		return
	}
	b.root.Call("setAttribute", "data-theme", theme)
}

// Load reads what Save stored; "" if there is nothing, or storage is closed.
func (b *Browser) Load(key string) (value string) {
	defer func() {
		if recover() != nil {
			value = "" // some frames may not use storage: the defaults are fine
		}
	}()
	if v := b.global.Get("localStorage").Call("getItem", "highwater-"+key); v.Type() == js.TypeString {
		value = v.String()
	}
	return value
}

// Save stores a value of the user's for later visits, where that is allowed.
func (b *Browser) Save(key, value string) {
	defer func() { _ = recover() }() // storage is closed: the choice holds for this visit
	if value == "" {
		b.global.Get("localStorage").Call("removeItem", "highwater-"+key)
		return
	}
	b.global.Get("localStorage").Call("setItem", "highwater-"+key, value)
}

// Copy puts text on the clipboard and says whether that worked.
func (b *Browser) Copy(text string, done func(ok bool)) {
	board := b.global.Get("navigator").Get("clipboard")
	if !board.Truthy() {
		done(false) // not a secure context
		return
	}
	var yes, no js.Func
	settle := func(ok bool) js.Func {
		return js.FuncOf(func(js.Value, []js.Value) any {
			b.guard(func() { done(ok) })
			yes.Release()
			no.Release()
			return nil
		})
	}
	yes, no = settle(true), settle(false)
	board.Call("writeText", text).Call("then", yes, no)
}

// Download offers a file.
func (b *Browser) Download(name, kind, text string) { b.offer(name, kind, js.ValueOf(text)) }

func (b *Browser) offer(name, kind string, content js.Value) {
	blob := b.global.Get("Blob").New([]any{content}, map[string]any{"type": kind})
	url := b.global.Get("URL").Call("createObjectURL", blob)
	a := b.doc.Call("createElement", "a")
	a.Set("href", url)
	a.Set("download", name)
	a.Call("click")
	b.After(10_000, func() { b.global.Get("URL").Call("revokeObjectURL", url) })
}

// FullScreen toggles full screen.
func (b *Browser) FullScreen() {
	doc := b.doc
	if doc.Get("fullscreenElement").Truthy() {
		doc.Call("exitFullscreen")
		return
	}
	if b.root.Get("requestFullscreen").Truthy() {
		b.root.Call("requestFullscreen").Call("catch", b.global.Get("Function").Get("prototype"))
	}
}

// After runs f in ms milliseconds.
func (b *Browser) After(ms int, f func()) {
	var once js.Func
	once = js.FuncOf(func(js.Value, []js.Value) any {
		once.Release()
		b.guard(f)
		return nil
	})
	b.global.Call("setTimeout", once, ms)
}

// Now is real time in milliseconds since the page was opened.
func (b *Browser) Now() float64 { return b.global.Get("performance").Call("now").Float() }

// Live takes the poster away: a frame is on the stage.
func (b *Browser) Live() {
	if l := b.global.Get("highwaterLoader"); l.Truthy() {
		l.Call("live")
	}
}

// Fail shows what went wrong over everything, with the ways out: the page is
// not usable any more.
func (b *Browser) Fail(text string) {
	doc := b.doc
	if doc.Call("getElementById", "failure").Truthy() {
		return
	}
	element := func(tag, content string) js.Value {
		e := doc.Call("createElement", tag)
		e.Set("textContent", content)
		return e
	}
	box := element("div", "")
	box.Set("id", "failure")
	box.Call("setAttribute", "role", "alert")
	again, fresh := element("a", "Reload this moment"), element("a", "Start afresh")
	again.Set("href", b.global.Get("location").Get("href"))
	again.Set("onclick", js.FuncOf(func(js.Value, []js.Value) any {
		b.global.Get("location").Call("reload")
		return nil
	}))
	fresh.Set("href", b.global.Get("location").Get("pathname"))
	box.Call("append", element("h2", "Highwater has stopped"), element("p", "This is a fault of ours. The address still holds your session."), element("pre", text), again, fresh)
	doc.Get("body").Call("append", box)
}

// Hook installs window.highwater: functions by name that take and give plain
// JavaScript values.
func (b *Browser) Hook(functions map[string]func(args []js.Value) any) {
	object := b.global.Get("Object").New()
	for name, f := range functions {
		object.Set(name, js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
			b.guard(func() { result = f(args) })
			return result
		}))
	}
	b.global.Set("highwater", object)
}
