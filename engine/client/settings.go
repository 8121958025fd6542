package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Setting is one config under Kafka's own name.
type Setting struct{ Name, Value string }

// Settings are a client's configs, checked against the config table.
type Settings struct {
	scope kafka.Scope
	set   []Setting // sorted by name, each valid
}

// ParseSettings checks configs of a scope. The error names the config, the
// value and what would be valid; a config that is set twice is an error too.
func ParseSettings(scope kafka.Scope, configs []Setting) (Settings, error) {
	s := Settings{scope: scope, set: slices.Clone(configs)}
	slices.SortStableFunc(s.set, func(a, b Setting) int { return strings.Compare(a.Name, b.Name) })
	for i, c := range s.set {
		if i > 0 && s.set[i-1].Name == c.Name {
			return Settings{}, fmt.Errorf("%s config %s is set twice", scope, c.Name)
		}
		if _, err := kafka.ParseConfig(scope, c.Name, c.Value); err != nil {
			return Settings{}, err
		}
	}
	return s, nil
}

// All lists the configs that differ from the default, sorted by name.
func (s *Settings) All() []Setting { return s.set }

// IsSet reports whether the config was given, be it with its default value.
func (s *Settings) IsSet(name string) bool {
	_, ok := slices.BinarySearchFunc(s.set, name, func(c Setting, n string) int { return strings.Compare(c.Name, n) })
	return ok
}

func (s *Settings) value(name string) (*kafka.Config, kafka.ConfigValue) {
	row := kafka.LookupConfig(s.scope, name)
	if row == nil {
		panic("client: no such config: " + name)
	}
	text := row.Default
	if i, ok := slices.BinarySearchFunc(s.set, name, func(c Setting, n string) int { return strings.Compare(c.Name, n) }); ok {
		text = s.set[i].Value
	}
	v, err := row.Parse(text)
	if err != nil {
		panic("client: " + err.Error())
	}
	return row, v
}

// Bool returns a bool's value.
func (s *Settings) Bool(name string) bool { _, v := s.value(name); return v.Bool }

// Int returns a number.
func (s *Settings) Int(name string) int64 { _, v := s.value(name); return v.Int }

// Text returns a string's or an enum's value.
func (s *Settings) Text(name string) string { _, v := s.value(name); return v.Text }

// Duration returns a number of milliseconds as virtual time; what is longer
// than a century counts as a century, so that adding to it is safe.
func (s *Settings) Duration(name string) kafka.Duration {
	row, v := s.value(name)
	return min(row.Duration(v.Int), 36525*kafka.Day)
}

// Backoff returns the pair of configs name.ms and name.max.ms; if the first is
// longer, it is constant.
func (s *Settings) Backoff(name string) Backoff {
	return Backoff{Initial: s.Duration(name + ".ms"), Max: s.Duration(name + ".max.ms")}
}
