package scenario

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/world"
)

// configs takes all key=value words that are left as configs of a scope.
func (a *args) configs(scope kafka.Scope) []world.Config {
	var cs []world.Config
	for i, w := range a.words {
		if a.used[i] || !w.pair {
			continue
		}
		a.used[i] = true
		c := kafka.LookupConfig(scope, w.key)
		if c == nil {
			a.bad(w, clip(w.key)+" is not a "+scope.String()+" config"+a.configMeant(scope, w.key))
			continue
		}
		if _, err := c.Parse(w.value); err != nil {
			a.badValue(w, err.Error()+inUnit(c, w.value))
			continue
		}
		if scope == kafka.ScopeBroker {
			if err := world.CheckLogDirs(w.key, w.value); err != nil {
				a.badValue(w, err.Error())
				continue
			}
		}
		cs = append(cs, world.Config{Name: w.key, Value: w.value})
	}
	return cs
}

// inUnit says how a number that was written with a unit of its own is written in
// the config's, as Kafka has it; "" if it was not.
func inUnit(c *kafka.Config, value string) string {
	switch c.Unit {
	case kafka.UnitMs, kafka.UnitSeconds, kafka.UnitMinutes, kafka.UnitHours:
		if d, ok := parseDuration(value); ok && d%c.Duration(1) == 0 {
			return "; without a unit of its own it is " + c.Name + "=" + num(int(d/c.Duration(1)))
		}
	case kafka.UnitBytes:
		if n, ok := parseSize(value); ok {
			return "; in bytes it is " + c.Name + "=" + num(int(n))
		}
	}
	return ""
}

// configMeant suggests a config of the scope or another key of the line.
func (a *args) configMeant(scope kafka.Scope, name string) string {
	words := slices.Clone(a.known)
	for i := range words {
		if last := len(words[i]) - 1; last >= 0 && words[i][last] == '=' {
			words[i] = words[i][:last]
		}
	}
	for _, c := range kafka.Configs(scope) {
		words = append(words, c.Name)
	}
	return meant(name, words)
}

// dynamicConfigs takes what a config command changes: an empty value deletes,
// and a broker's config must be one that can change while it runs.
func (a *args) dynamicConfigs(scope kafka.Scope) []world.Config {
	var cs []world.Config
	for i, w := range a.words {
		if a.used[i] || !w.pair {
			continue
		}
		if c := kafka.LookupConfig(scope, w.key); c != nil && scope == kafka.ScopeBroker && c.Dynamic == kafka.ReadOnly {
			a.used[i] = true
			a.bad(w, w.key+" is read-only: a broker takes it from server.properties when it starts; set it in the header: broker all "+w.key+"="+w.value)
		} else if c != nil && w.value == "" {
			a.used[i] = true
			cs = append(cs, world.Config{Name: w.key})
		}
	}
	return append(cs, a.configs(scope)...)
}

// conflict complains about configs that do not go together.
func (p *parser) conflict(st *statement, scope kafka.Scope, set []world.Config) {
	err := kafka.Conflict(scope, func(name string) string {
		for _, c := range set {
			if c.Name == name {
				return c.Value
			}
		}
		return kafka.LookupConfig(scope, name).Default
	})
	if err != nil {
		p.problem(st.line, st.col, err.Error())
	}
}
