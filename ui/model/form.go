package model

import "strings"

// Form is an order being filled in: its fields make one line of the scenario
// language. A Form with an empty Kind is no form.
type Form struct {
	Kind   string
	Title  string
	Fields []Field
	Err    string // a problem that belongs to no field
	build  func(Form) []Part
}

// Field is one input of a form.
type Field struct {
	Name    string
	Label   string
	Value   string
	Options []string // a choice, if not empty
	Check   bool     // a checkbox: Value is "yes" or ""
	Hint    string
	Need    bool
	Err     string
}

// Part is a piece of the line with the field that it comes from.
type Part struct{ Field, Text string }

// Get is the value of a field.
func (f Form) Get(name string) string {
	for i := range f.Fields {
		if f.Fields[i].Name == name {
			return strings.TrimSpace(f.Fields[i].Value)
		}
	}
	return ""
}

// Line is the command that the form stands for now.
func (f Form) Line() string {
	if f.build == nil {
		return ""
	}
	var words []string
	for _, p := range f.build(f) {
		if p.Text != "" {
			words = append(words, p.Text)
		}
	}
	return strings.Join(words, " ")
}

// with is the form with another value in a field; what was wrong is forgotten.
func (f Form) with(name, value string) Form {
	fields := make([]Field, len(f.Fields))
	copy(fields, f.Fields)
	for i := range fields {
		if fields[i].Name == name {
			fields[i].Value, fields[i].Err = value, ""
		}
	}
	f.Fields, f.Err = fields, ""
	return f
}

// checked is the form with a word at every field that must not be empty.
func (f Form) checked() Form {
	fields := make([]Field, len(f.Fields))
	copy(fields, f.Fields)
	for i := range fields {
		fields[i].Err = ""
		if fields[i].Need && strings.TrimSpace(fields[i].Value) == "" {
			fields[i].Err = "This is needed."
		}
	}
	f.Fields, f.Err = fields, ""
	return f
}

func (f Form) wrong() bool {
	for i := range f.Fields {
		if f.Fields[i].Err != "" {
			return true
		}
	}
	return false
}

// refused puts problems at the fields whose part of the line they are about,
// by column.
func (f Form) refused(ps []Problem) Form {
	f = f.checked()
	for _, p := range ps {
		name := f.fieldAt(p.Col)
		placed := false
		for i := range f.Fields {
			if f.Fields[i].Name == name && f.Fields[i].Err == "" {
				f.Fields[i].Err, placed = p.Text, true
			}
		}
		if !placed && f.Err == "" {
			f.Err = p.Text
		}
	}
	return f
}

// fieldAt is the field that made the part of the line at a column, from 1.
func (f Form) fieldAt(col int) string {
	if f.build == nil || col < 1 {
		return ""
	}
	at := 1
	for _, p := range f.build(f) {
		if p.Text == "" {
			continue
		}
		if at <= col && col <= at+len(p.Text) {
			return p.Field
		}
		at += len(p.Text) + 1
	}
	return ""
}

// quoted is a value as the language takes it: in double quotes if it has a
// space, a quote or nothing in it.
func quoted(v string) string {
	if v != "" && !strings.ContainsAny(v, " \t\"#|") {
		return v
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(v) + `"`
}
