package kafka

import (
	"slices"
	"strconv"
	"strings"
)

// Rules that a range does not say: of single values, and between the values of
// several configs.

// parseDecimal reads a decimal number (ConfigDef's DOUBLE) in millionths; further
// digits do not count.
func (c *Config) parseDecimal(value string) (ConfigValue, error) {
	number, negative := strings.CutPrefix(value, "-")
	whole, frac, _ := strings.Cut(strings.TrimPrefix(number, "+"), ".")
	if whole+frac == "" {
		return ConfigValue{}, c.bad(value, "Not a number")
	}
	w, err := strconv.ParseUint("0"+whole, 10, 40)
	digits := (frac + "000000")[:6]
	f, err2 := strconv.ParseUint(digits, 10, 32)
	rest, err3 := strconv.ParseUint("0"+frac[min(len(frac), 6):min(len(frac), 18)], 10, 64)
	if err != nil || err2 != nil || err3 != nil {
		return ConfigValue{}, c.bad(value, "Not a number")
	}
	n := int64(w)*Micro + int64(f)
	if negative {
		n, rest = -n, 0
	}
	switch {
	case n < c.Min*Micro || negative && n == 0 && strings.Trim(frac, "0") != "":
		return ConfigValue{}, c.bad(value, "Value must be at least "+strconv.FormatInt(c.Min, 10))
	case n > c.Max*Micro || n == c.Max*Micro && rest > 0:
		return ConfigValue{}, c.bad(value, "Value must be no more than "+strconv.FormatInt(c.Max, 10))
	}
	return ConfigValue{Int: n}, nil
}

// Micro is what a decimal's millionths are divided by.
const Micro = 1_000_000

// throttledReplicas is ThrottledReplicaListValidator: * alone, or pairs of a
// partition and a broker.
func throttledReplicas(list []string) string {
	if slices.Equal(list, []string{"*"}) {
		return ""
	}
	for _, e := range list {
		p, b, ok := strings.Cut(e, ":")
		_, err := strconv.ParseUint(p, 10, 31)
		_, err2 := strconv.ParseUint(b, 10, 31)
		if !ok || err != nil || err2 != nil {
			return "Must be the literal '*' or a list of replicas as partition:broker,partition:broker,..."
		}
	}
	return ""
}

// Conflict checks a scope's configs against each other; get returns the value that
// each would have. The error is a *ConfigError. It follows LogConfig.validateValues
// and AbstractKafkaConfig.validateValues.
func Conflict(scope Scope, get func(name string) string) error {
	num := func(name string) int64 {
		v, _ := ParseConfig(scope, name, get(name))
		return v.Int
	}
	clash := func(name, reason string) error { return &ConfigError{scope, name, get(name), reason} }
	if scope == ScopeTopic {
		if num("min.compaction.lag.ms") > num("max.compaction.lag.ms") {
			return clash("min.compaction.lag.ms", "It must not be above max.compaction.lag.ms="+get("max.compaction.lag.ms"))
		}
		return nil
	}
	const mapMin = 1 << 20
	switch threads := max(num("log.cleaner.threads"), 1); {
	case num("log.cleaner.dedupe.buffer.size")/threads <= mapMin:
		return clash("log.cleaner.dedupe.buffer.size", "It must be more than 1048576 bytes for each of log.cleaner.threads="+get("log.cleaner.threads"))
	case num("log.cleaner.min.compaction.lag.ms") > num("log.cleaner.max.compaction.lag.ms"):
		return clash("log.cleaner.min.compaction.lag.ms", "It must not be above log.cleaner.max.compaction.lag.ms="+get("log.cleaner.max.compaction.lag.ms"))
	case num("broker.heartbeat.interval.ms")*2 > num("broker.session.timeout.ms"):
		return clash("broker.heartbeat.interval.ms", "It must be at most half of broker.session.timeout.ms="+get("broker.session.timeout.ms"))
	case num("replica.fetch.wait.max.ms") > num("replica.lag.time.max.ms"):
		return clash("replica.fetch.wait.max.ms", "It must not be above replica.lag.time.max.ms="+get("replica.lag.time.max.ms"))
	case num("group.min.session.timeout.ms") > num("group.max.session.timeout.ms"):
		return clash("group.min.session.timeout.ms", "It must not be above group.max.session.timeout.ms="+get("group.max.session.timeout.ms"))
	case num("log.retention.ms") == 0:
		return clash("log.retention.ms", "Value must be -1, which is no limit, or at least 1")
	}
	return nil
}
