package model

import "strconv"

// Shortcut is a key of the help dialog: what to press, and what it does.
type Shortcut struct{ Keys, Does string }

// Shortcuts are the keys, in the order in which help lists them. Every one has
// a button on the page. The single letters act only while the stage has the
// focus, and can be switched off (WCAG 2.1.4).
var Shortcuts = []Shortcut{
	{"Space", "play, pause"},
	{"→  ←", "next event, previous event"},
	{"Shift →  Shift ←", "next marker, previous marker"},
	{"Alt →  Alt ←", "one second on, one second back"},
	{"]  [", "next marker, previous marker"},
	{">  <", "faster, slower"},
	{"Home  End", "start, end"},
	{"↓  ↑", "select the next thing, the one before"},
	{"+  −  0", "zoom in, zoom out, whole cluster"},
	{"L", "legend: what the marks mean"},
	{"K", "crash or start what is selected"},
	{"U", "undo the last edit"},
	{"?", "this help"},
	{"Esc", "close, stop computing, or select nothing"},
}

// key acts on a key press.
func (m Model) key(k Key) (Model, []Cmd) {
	if k.Ctrl {
		return m, nil
	}
	if k.Key == "Escape" {
		return m.escape()
	}
	if m.Dialog != "" || k.On == "field" {
		return m, nil
	}
	if parts, ok := scrubStep(k); ok {
		to := min(int64(m.Now)+int64(m.Length())/100*parts, int64(m.Length()))
		return m.act(Act{Do: "seek", Arg: strconv.FormatInt(to, 10)})
	}
	if do, arg, ok := keyAct(k); ok {
		return m.act(Act{Do: do, Arg: arg})
	}
	if k.On == "stage" && m.Letters {
		if do, arg, ok := letterAct(k.Key); ok {
			return m.act(Act{Do: do, Arg: arg})
		}
	}
	return m, nil
}

// KeyUsed reports whether the page acts on a key press, so that the browser
// should not.
func KeyUsed(m Model, k Key) bool {
	if k.Ctrl || m.Dialog != "" || k.On == "field" {
		return false
	}
	_, used := scrubStep(k)
	if !used {
		_, _, used = keyAct(k)
	}
	_, _, letter := letterAct(k.Key)
	return used || k.On == "stage" && m.Letters && letter
}

// escape closes the innermost thing that is open.
func (m Model) escape() (Model, []Cmd) {
	switch {
	case m.Dialog != "":
		return m.closeDialog()
	case m.Seeking:
		return m.stay()
	case m.Form.Kind != "":
		m.Form = Form{}
		return m, nil
	case m.Legend:
		m.Legend = false
		return m, nil
	}
	return m.act(Act{Do: "deselect"})
}

// keyAct are the keys that act wherever the focus is, except in a field. Keys
// that a focused button or table needs for itself act on the stage only.
func keyAct(k Key) (do, arg string, ok bool) {
	stage := k.On == "stage"
	switch k.Key {
	case " ":
		return "play", "", stage || k.On == "" || k.On == "scrub"
	case "ArrowRight", "ArrowLeft":
		if !stage && k.On != "" {
			return "", "", false
		}
		return arrowAct(k)
	case "ArrowDown", "ArrowUp":
		if k.Key == "ArrowUp" {
			return "walk", "-1", stage
		}
		return "walk", "1", stage
	case "Home":
		return "restart", "", stage || k.On == "" || k.On == "scrub"
	case "End":
		return "end", "", stage || k.On == "" || k.On == "scrub"
	}
	return "", "", false
}

func arrowAct(k Key) (do, arg string, ok bool) {
	right := k.Key == "ArrowRight"
	switch {
	case k.Shift && right:
		return "marker", "next", true
	case k.Shift:
		return "marker", "previous", true
	case k.Alt && right:
		return "later", "1000000000", true
	case k.Alt:
		return "later", "-1000000000", true
	case right:
		return "step", "", true
	}
	return "back", "", true
}

// letterAct are the single letters and signs, on the stage only.
func letterAct(key string) (do, arg string, ok bool) {
	switch key {
	case "[":
		return "marker", "previous", true
	case "]":
		return "marker", "next", true
	case "<":
		return "slower", "", true
	case ">":
		return "faster", "", true
	case "l", "L":
		return "legend", "", true
	case "k", "K":
		return "toggle", "", true
	case "u", "U":
		return "undo", "", true
	case "+", "=":
		return "zoom", "in", true
	case "-":
		return "zoom", "out", true
	case "0":
		return "fit", "", true
	case "?":
		return "dialog", "help", true
	}
	return "", "", false
}

// scrubStep is how many hundredths a key moves the slider that has the focus.
func scrubStep(k Key) (hundredths int64, ok bool) {
	if k.On != "scrub" || k.Alt || k.Ctrl {
		return 0, false
	}
	switch k.Key {
	case "ArrowRight", "ArrowUp":
		return 1, true
	case "ArrowLeft", "ArrowDown":
		return -1, true
	case "PageUp":
		return 10, true
	case "PageDown":
		return -10, true
	}
	return 0, false
}
