package view

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/world"
)

// DescribeQuotas is what kafka-configs --describe prints of client quotas, for
// users, client ids and both together, where the tool is asked for each
// (ConfigCommand.describeClientQuotaAndUserScramCredentialConfigs).
func DescribeQuotas(w *world.World) (out []string) {
	img := w.Image()
	for i := range img.Quotas {
		q := &img.Quotas[i]
		var set []string
		for k, limit := range q.Limits {
			if limit > 0 {
				set = append(set, metadata.QuotaKind(k).Key()+"="+javaDouble(metadata.QuotaKind(k).Text(limit)))
			}
		}
		out = append(out, "Quota configs for "+q.Describe()+" are "+strings.Join(set, ", "))
	}
	return out
}

// javaDouble prints a positive decimal number as Double.toString does: 200000.0,
// 1.048576E7.
func javaDouble(decimal string) string {
	whole, frac, _ := strings.Cut(decimal, ".")
	digits := strings.TrimLeft(whole+frac, "0")
	exp := len(whole) - 1 // of the first digit
	if whole == "0" {
		exp = len(digits) - len(frac) - 1
	}
	if exp >= -3 && exp < 7 {
		if frac == "" {
			frac = "0"
		}
		return whole + "." + frac
	}
	if digits = strings.TrimRight(digits, "0"); len(digits) == 1 {
		digits += "0"
	}
	return digits[:1] + "." + digits[1:] + "E" + strconv.Itoa(exp)
}
