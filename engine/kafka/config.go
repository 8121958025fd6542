package kafka

import (
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// Scope says what kind of process or resource a config belongs to. The same
// name may mean different things in two scopes.
type Scope uint8

// The scopes.
const (
	ScopeTopic Scope = iota
	ScopeBroker
	ScopeProducer
	ScopeConsumer
	scopeCount
)

// String names the scope for messages: "topic".
func (s Scope) String() string {
	return [...]string{"topic", "broker", "producer", "consumer", "?"}[min(s, scopeCount)]
}

// ConfigType is the type of a config's value (ConfigDef.Type; enum is a string
// out of a fixed set).
type ConfigType uint8

// The types.
const (
	TypeBool    ConfigType = iota
	TypeInt                // short, int and long: a decimal number
	TypeString             // free text
	TypeEnum               // one of Valid
	TypeList               // comma-separated; each one of Valid, if there are any, and none twice
	TypeDecimal            // double: a decimal number, from Min to Max, which are whole
)

// Unit is what a number counts.
type Unit uint8

// The units.
const (
	UnitNone Unit = iota
	UnitBytes
	UnitMs
	UnitSeconds
	UnitMinutes
	UnitHours
	UnitMessages
)

// Dynamic says whether a broker config can be changed while the broker runs
// (DynamicBrokerConfig). Topic configs always can, client configs never.
type Dynamic uint8

// The ways.
const (
	ReadOnly    Dynamic = iota // server.properties only
	PerBroker                  // for one broker or as the cluster's default
	ClusterWide                // as above; meant to be equal everywhere
)

// Config is one row of the config table. Defaults are those of Kafka 4.2.
type Config struct {
	Name    string
	Scope   Scope
	Type    ConfigType
	Default string
	Min     int64    // of a number; math.MinInt64 if any
	Max     int64    // of a number; math.MaxInt64 if any
	Valid   []string // of an enum, or of each element of a list
	Unit    Unit
	Dynamic Dynamic
	// Synonym is the broker config that gives a topic config its value where the
	// topic sets none (ServerTopicConfigSynonyms).
	Synonym string
	Doc     string // one line of meaning

	rule func(list []string) string // of a list: what is wrong with it, "" if nothing
}

// NoMin and NoMax are the bounds of a config that has none.
const (
	NoMin int64 = math.MinInt64
	NoMax int64 = math.MaxInt64
)

// configs is the table, by scope, each sorted by name. It is filled while the
// program starts and never changes after.
var configs [scopeCount][]Config

// addConfigs puts rows into the table of a scope.
func addConfigs(scope Scope, rows ...Config) {
	for _, r := range rows {
		r.Scope = scope
		if r.Min == 0 && r.Max == 0 {
			r.Min, r.Max = NoMin, NoMax
		}
		if err := r.check(); err != nil {
			panic("kafka: config table: " + err.Error())
		}
		i, ok := slices.BinarySearchFunc(configs[scope], r.Name, compareConfig)
		if ok {
			panic("kafka: config table: " + r.Name + " stands twice")
		}
		configs[scope] = slices.Insert(configs[scope], i, r)
	}
}

func compareConfig(c Config, name string) int { return cmp.Compare(c.Name, name) }

// check makes sure that a row's own default is valid.
func (c *Config) check() error {
	if c.Name == "" || c.Doc == "" {
		return errors.New("a row without name or meaning: " + c.Name)
	}
	_, err := c.Parse(c.Default)
	return err
}

// LookupConfig returns the row of a config, or nil if the scope has none of
// that name. The row must not be changed.
func LookupConfig(scope Scope, name string) *Config {
	rows := configs[scope]
	i := sort.Search(len(rows), func(i int) bool { return rows[i].Name >= name }) // rows are large: no copies
	if i == len(rows) || rows[i].Name != name {
		return nil
	}
	return &rows[i]
}

// Configs lists the table of a scope, sorted by name. It must not be changed.
func Configs(scope Scope) []Config { return configs[scope] }

// ConfigError says which config has a bad value and why.
type ConfigError struct {
	Scope  Scope
	Name   string
	Value  string
	Reason string // what is wrong, with the range or the valid values
}

// Error follows the shape of Kafka's ConfigException.
func (e *ConfigError) Error() string {
	return fmt.Sprintf("Invalid value %s for %s configuration %s: %s", e.Value, e.Scope, e.Name, e.Reason)
}

// UnknownConfig is the error for a name that a scope does not have. It proposes
// the nearest name.
type UnknownConfig struct {
	Scope   Scope
	Name    string
	Nearest string // "" if nothing is near
}

// Error names the config and, if there is one, the nearest name.
func (e *UnknownConfig) Error() string {
	s := fmt.Sprintf("Unknown %s config name: %s", e.Scope, e.Name)
	if e.Nearest != "" {
		s += " (did you mean " + e.Nearest + "?)"
	}
	return s
}

// ConfigValue is a parsed value: the field that fits the config's type is set.
type ConfigValue struct {
	Bool bool
	Int  int64    // of a decimal: millionths
	Text string   // strings and enums
	List []string // lists, without blanks around elements
}

// ParseConfig checks a value by the table. The error is an *UnknownConfig or a
// *ConfigError.
func ParseConfig(scope Scope, name, value string) (ConfigValue, error) {
	c := LookupConfig(scope, name)
	if c == nil {
		return ConfigValue{}, &UnknownConfig{scope, name, NearestConfig(scope, name)}
	}
	return c.Parse(value)
}

// Parse checks a value of this config. The error is a *ConfigError.
func (c *Config) Parse(value string) (ConfigValue, error) {
	value = strings.TrimSpace(value)
	switch c.Type {
	case TypeBool:
		switch strings.ToLower(value) {
		case "true":
			return ConfigValue{Bool: true}, nil
		case "false":
			return ConfigValue{}, nil
		}
		return ConfigValue{}, c.bad(value, "Expected value to be either true or false")
	case TypeInt:
		return c.parseInt(value)
	case TypeEnum:
		if !slices.Contains(c.Valid, value) {
			return ConfigValue{}, c.bad(value, "String must be one of: "+strings.Join(c.Valid, ", "))
		}
		return ConfigValue{Text: value}, nil
	case TypeList:
		return c.parseList(value)
	case TypeDecimal:
		return c.parseDecimal(value)
	}
	return ConfigValue{Text: value}, nil
}

func (c *Config) parseInt(value string) (ConfigValue, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case err != nil:
		return ConfigValue{}, c.bad(value, "Not a number")
	case n < c.Min:
		return ConfigValue{}, c.bad(value, "Value must be at least "+strconv.FormatInt(c.Min, 10))
	case n > c.Max:
		return ConfigValue{}, c.bad(value, "Value must be no more than "+strconv.FormatInt(c.Max, 10))
	}
	return ConfigValue{Int: n}, nil
}

func (c *Config) parseList(value string) (ConfigValue, error) {
	var v ConfigValue
	if value == "" {
		return v, nil
	}
	for e := range strings.SplitSeq(value, ",") {
		e = strings.TrimSpace(e)
		if len(c.Valid) > 0 && !slices.Contains(c.Valid, e) {
			return ConfigValue{}, c.bad(value, "Each element must be one of: "+strings.Join(c.Valid, ", "))
		}
		if slices.Contains(v.List, e) {
			return ConfigValue{}, c.bad(value, "Values must not be duplicated")
		}
		v.List = append(v.List, e)
	}
	if c.rule != nil {
		if reason := c.rule(v.List); reason != "" {
			return ConfigValue{}, c.bad(value, reason)
		}
	}
	return v, nil
}

func (c *Config) bad(value, reason string) error {
	return &ConfigError{c.Scope, c.Name, value, reason}
}

// Duration turns a parsed number of this config's unit into virtual time; -1
// (no limit, by Kafka's use) and what is too long for it become Never's span.
func (c *Config) Duration(n int64) Duration {
	var unit Duration
	switch c.Unit {
	case UnitMs:
		unit = Millisecond
	case UnitSeconds:
		unit = Second
	case UnitMinutes:
		unit = Minute
	case UnitHours:
		unit = Hour
	default:
		panic("kafka: config " + c.Name + " is not a time")
	}
	if n < 0 || n > int64(Never)/int64(unit) {
		return Duration(Never)
	}
	return Duration(n) * unit
}

// NearestConfig returns the config name of a scope that differs least from
// name, or "" if none is near enough to be what was meant.
func NearestConfig(scope Scope, name string) string {
	best, bestDist := "", len(name)/3+1
	for i := range configs[scope] {
		if d := editDistance(configs[scope][i].Name, name); d < bestDist {
			best, bestDist = configs[scope][i].Name, d
		}
	}
	return best
}

// editDistance is Levenshtein's, by bytes.
func editDistance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diag := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diag
			if a[i] != b[j] {
				cost++
			}
			diag = row[j+1]
			row[j+1] = min(cost, diag+1, row[j]+1)
		}
	}
	return row[len(b)]
}
