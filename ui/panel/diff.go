package panel

import (
	"bytes"

	"github.com/vugu/vugu"
)

// What a Change changes.
type What uint8

// The kinds of change.
const (
	SetText  What = iota // Value: text of a text node
	SetHTML              // Value: inner HTML
	SetAttr              // Name, Value
	DropAttr             // Name
	SetProp              // Name, Value: JSON
)

// Change is one difference between two builds of the same structure.
type Change struct {
	What        What
	Path        []int // child indexes from the root element
	Name, Value string
}

// Diff appends to out what has to change in the page from one build to the next.
// It reports false if the structure differs: then the page must be rendered.
func Diff(from, to *vugu.BuildResults, out []Change) ([]Change, bool) {
	d := differ{from: from, to: to, out: out}
	ok := from != nil && d.node(from.Out.Out[0], to.Out.Out[0])
	return d.out, ok
}

type differ struct {
	from, to *vugu.BuildResults
	path     []int
	out      []Change
}

func (d *differ) change(w What, name, value string) {
	d.out = append(d.out, Change{What: w, Path: append([]int(nil), d.path...), Name: name, Value: value})
}

func (d *differ) node(a, b *vugu.VGNode) bool {
	if a.Component != nil || b.Component != nil {
		if a.Component != b.Component {
			return false
		}
		return d.node(d.from.ResultFor(a.Component).Out[0], d.to.ResultFor(b.Component).Out[0])
	}
	switch {
	case a.Type != b.Type || a.IsTemplate() || b.IsTemplate():
		return false
	case a.Type != vugu.ElementNode:
		if a.Data != b.Data {
			d.change(SetText, "", b.Data)
		}
		return true
	case a.Data != b.Data || len(a.Prop) != len(b.Prop) || (a.InnerHTML == nil) != (b.InnerHTML == nil):
		return false
	}
	if !d.children(a, b) {
		return false
	}
	d.attrs(a.Attr, b.Attr)
	for i := range b.Prop {
		switch {
		case a.Prop[i].Key != b.Prop[i].Key:
			return false
		case !bytes.Equal(a.Prop[i].JSONVal, b.Prop[i].JSONVal):
			d.change(SetProp, b.Prop[i].Key, string(b.Prop[i].JSONVal))
		}
	}
	if b.InnerHTML != nil && *a.InnerHTML != *b.InnerHTML {
		d.change(SetHTML, "", *b.InnerHTML)
	}
	return true
}

func (d *differ) children(a, b *vugu.VGNode) bool {
	x, y := a.FirstChild, b.FirstChild
	for i := 0; x != nil && y != nil; i++ {
		d.path = append(d.path, i)
		same := d.node(x, y)
		d.path = d.path[:len(d.path)-1]
		if !same {
			return false
		}
		x, y = x.NextSibling, y.NextSibling
	}
	return x == nil && y == nil
}

// attrs compares attributes; vugu sets them in the order of the template, and
// leaves out those that are false or nil.
func (d *differ) attrs(a, b []vugu.VGAttribute) {
	for _, y := range b {
		if x, ok := findAttr(a, y.Key); !ok || x != y.Val {
			d.change(SetAttr, y.Key, y.Val)
		}
	}
	for _, x := range a {
		if _, ok := findAttr(b, x.Key); !ok {
			d.change(DropAttr, x.Key, "")
		}
	}
}

func findAttr(list []vugu.VGAttribute, key string) (string, bool) {
	for i := range list {
		if list[i].Key == key {
			return list[i].Val, true
		}
	}
	return "", false
}
