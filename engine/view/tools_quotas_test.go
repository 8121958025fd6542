package view

import (
	"math/rand/v2"
	"strconv"
	"strings"
	"testing"
)

// Double.toString of Java, by its documentation: plain from 10^-3 up to 10^7.
func TestJavaDouble(t *testing.T) {
	for in, want := range map[string]string{
		"200000": "200000.0", "12.5": "12.5", "10000000": "1.0E7", "9999999": "9999999.0", "10485760": "1.048576E7",
		"0.5": "0.5", "0.001": "0.001", "0.0005": "5.0E-4", "0.000123": "1.23E-4", "1": "1.0",
	} {
		if got := javaDouble(in); got != want {
			t.Errorf("%s: %s, want %s", in, got, want)
		}
	}
	for range 1000 { // whatever its form, it is the same number
		in := strconv.FormatInt(rand.Int64N(1<<rand.IntN(50)+1)+1, 10)
		got, err := strconv.ParseFloat(strings.Replace(javaDouble(in), "E", "e", 1), 64)
		if want, _ := strconv.ParseFloat(in, 64); err != nil || got != want {
			t.Errorf("%s became %s", in, javaDouble(in))
		}
	}
}
