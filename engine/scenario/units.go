package scenario

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
)

func num(n int) string { return strconv.Itoa(n) }

// unit is a spelling with its size in the base unit.
type unit struct {
	name string
	size int64
}

var (
	timeUnits = []unit{{"ns", 1}, {"us", 1000}, {"ms", 1_000_000}, {"s", int64(kafka.Second)},
		{"m", int64(kafka.Minute)}, {"h", int64(kafka.Hour)}, {"d", int64(kafka.Day)}}
	sizeUnits = []unit{{"", 1}, {"B", 1}, {"KB", 1000}, {"KiB", 1 << 10}, {"MB", 1_000_000}, {"MiB", 1 << 20},
		{"GB", 1_000_000_000}, {"GiB", 1 << 30}}
)

// scaled reads a number with an optional fraction and a unit at the start of s
// and returns what follows. It uses whole numbers only; what is finer than the
// base unit is an error, as is more than limit.
func scaled(s string, units []unit, limit int64) (n int64, rest string, ok bool) {
	digits := 0
	for digits < len(s) && s[digits] >= '0' && s[digits] <= '9' {
		digits++
	}
	end, frac := digits, ""
	if end < len(s) && s[end] == '.' {
		end++
		for end < len(s) && s[end] >= '0' && s[end] <= '9' {
			end++
		}
		if frac = s[digits+1 : end]; frac == "" {
			return 0, s, false
		}
	}
	letters := end
	for letters < len(s) && (s[letters] >= 'a' && s[letters] <= 'z' || s[letters] >= 'A' && s[letters] <= 'Z') {
		letters++
	}
	size := int64(0)
	for _, u := range units {
		if u.name == s[end:letters] {
			size = u.size
		}
	}
	whole, err := strconv.ParseInt(s[:digits], 10, 64)
	if err != nil || size == 0 || whole > limit/size {
		return 0, s, false
	}
	n = whole * size
	for _, c := range frac {
		if size%10 != 0 {
			return 0, s, false
		}
		size /= 10
		n += int64(c-'0') * size
	}
	return n, s[letters:], n <= limit
}

// parseDuration reads 4s, 200ms, 1.5h or 1m30s.
func parseDuration(s string) (kafka.Duration, bool) {
	if s == "0" {
		return 0, true
	}
	var sum int64
	for first := true; first || s != ""; first = false {
		n, rest, ok := scaled(s, timeUnits, int64(instantMax))
		if !ok || sum+n > int64(instantMax) {
			return 0, false
		}
		sum, s = sum+n, rest
	}
	return kafka.Duration(sum), true
}

// parseSize reads 100, 10KB or 1MiB.
func parseSize(s string) (int64, bool) {
	n, rest, ok := scaled(s, sizeUnits, sizeMax)
	return n, ok && rest == ""
}

// parseBandwidth reads 1MB/s or unlimited, as bytes per second.
func parseBandwidth(s string) (int64, bool) {
	if s == "unlimited" {
		return 0, true
	}
	b, per := strings.CutSuffix(s, "/s")
	n, ok := parseSize(b)
	return n, ok && per && n > 0
}

// parseRate reads 50/s, 0.5/s, 30/m or 10/h, as records per 1000 s.
func parseRate(s string) (int64, bool) {
	if s == "0" {
		return 0, true
	}
	count, per, ok := strings.Cut(s, "/")
	span := int64(0)
	switch per {
	case "s":
		span = 1
	case "m":
		span = 60
	case "h":
		span = 3600
	}
	if !ok || span == 0 {
		return 0, false
	}
	n, rest, ok := scaled(count, []unit{{"", 1000 * 1000}}, rateMax*1000)
	if !ok || rest != "" {
		return 0, false
	}
	rate := n / 1000 / span
	return rate, rate > 0 && rate <= rateMax || n == 0
}

// parseInt reads a whole number between low and high.
func parseInt(s string, low, high int64) (int64, bool) {
	n, err := strconv.ParseInt(s, 10, 64)
	return n, err == nil && n >= low && n <= high
}
