package theme

import (
	"math"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/gofont/gobold"
	"golang.org/x/image/font/gofont/gomono"
	"golang.org/x/image/font/gofont/goregular"
	"golang.org/x/image/font/sfnt"
	"golang.org/x/image/math/fixed"
)

// The scene measures text with our tables and the painter draws it with the
// fonts: both must mean the same width.
func TestAdvancesAreTheFonts(t *testing.T) {
	for f, ttf := range map[Face][]byte{Regular: goregular.TTF, Bold: gobold.TTF, Mono: gomono.TTF} {
		parsed, err := sfnt.Parse(ttf)
		if err != nil {
			t.Fatal(err)
		}
		var buf sfnt.Buffer
		check := func(r rune) {
			g, err := parsed.GlyphIndex(&buf, r)
			if err != nil || g == 0 {
				t.Errorf("face %d lacks %q", f, r)
				return
			}
			a, err := parsed.GlyphAdvance(&buf, g, fixed.I(unitsPerEm), font.HintingNone)
			if err != nil || a.Round() != units(f, r) {
				t.Errorf("face %d, %q: table %d, font %d (%v)", f, r, units(f, r), a.Round(), err)
			}
		}
		for r := rune(0x20); r <= 0xff; r++ {
			if r < 0x7f || r >= 0xa0 {
				check(r)
			}
		}
		for _, r := range "…–—→←↑↓‹›−≤≥" {
			check(r)
		}
	}
}

func TestWidthAddsAdvances(t *testing.T) {
	for _, f := range []Face{Regular, Bold, Mono} {
		text, sum := "LEO 125 · ‹7 behind› é", float32(0)
		for _, r := range text {
			sum += Advance(f, r, 10)
		}
		if got := Width(f, []byte(text), 10); got-sum > 0.01 || sum-got > 0.01 {
			t.Errorf("face %d: %v, want %v", f, got, sum)
		}
	}
}

func TestKeysDiffer(t *testing.T) {
	for _, keys := range []string{"okabe-ito", "tol", "contrast"} {
		th, seen := New("dark", keys), map[Color]string{}
		for _, k := range []string{"k0", "k1", "k2", "k3", "k4", "k5", "k6", "k7"} {
			if other, ok := seen[th.ForKey(k)]; ok {
				t.Errorf("%s: %s and %s look the same", keys, k, other)
			}
			seen[th.ForKey(k)] = k
		}
		if a, b := th.ForKey("ada"), th.ForKey("bob"); a == b || b == th.ForKey("eve") || a == th.ForKey("eve") {
			t.Errorf("%s: ada, bob and eve do not differ", keys)
		}
		if th.Keys != keys {
			t.Errorf("%s: is called %s", keys, th.Keys)
		}
	}
}

// WCAG 1.4.3 and 1.4.11: text at 4.5:1 and marks at 3:1 against what they stand on.
func TestContrast(t *testing.T) {
	for _, th := range []Theme{Dark, Light} {
		for _, bg := range []Color{th.Bg, th.Row, th.Card, th.Well, th.Panel} {
			for name, c := range map[string]Color{"text": th.Text, "soft": th.Soft, "muted": th.Muted} {
				if r := ratio(c, bg); r < 4.5 {
					t.Errorf("%s: %s on %06x is %.2f:1", th.Name, name, bg>>8, r)
				}
			}
			for name, c := range map[string]Color{"leader": th.Leader, "insync": th.InSync, "warn": th.Warn, "bad": th.Bad, "hw": th.HW, "lso": th.LSO, "accent": th.Accent} {
				if r := ratio(c, bg); r < 3 {
					t.Errorf("%s: %s on %06x is %.2f:1", th.Name, name, bg>>8, r)
				}
			}
		}
		for i, c := range th.Key {
			best := ratio(c, th.Well)
			if th.KeyLine != 0 {
				best = max(best, ratio(th.KeyLine.Over(th.Well), th.Well))
			}
			if best < 3 {
				t.Errorf("%s: key %d is %.2f:1", th.Name, i, best)
			}
			if r := ratio(th.KeyInk, c); r < 3 {
				t.Errorf("%s: letter on key %d is %.2f:1", th.Name, i, r)
			}
		}
	}
}

func TestStyleSheetHasBothThemes(t *testing.T) {
	css := StyleSheet()
	for _, want := range []string{"--hw-bg:#0d1220;", "--hw-bg:#f6f8fc;", "prefers-color-scheme:light", "[data-theme=light]", "--hw-key-7:", "--hw-shadow:#00000080;", "--hw-font:"} {
		if !strings.Contains(css, want) {
			t.Errorf("no %q", want)
		}
	}
}

func TestColor(t *testing.T) {
	if c := Color(0xff000080).Over(0x0000ffff); c != 0x80007fff {
		t.Errorf("over: %08x", uint32(c))
	}
	if c := Color(0x102030ff).Alpha(0.5); c != 0x10203080 {
		t.Errorf("alpha: %08x", uint32(c))
	}
}

func ratio(a, b Color) float64 {
	la, lb := luminance(a), luminance(b)
	if la < lb {
		la, lb = lb, la
	}
	return (la + 0.05) / (lb + 0.05)
}

func luminance(c Color) float64 {
	r, g, b, _ := c.RGBA()
	lin := func(v uint8) float64 {
		x := float64(v) / 255
		if x <= 0.04045 {
			return x / 12.92
		}
		return math.Pow((x+0.055)/1.055, 2.4)
	}
	return 0.2126*lin(r) + 0.7152*lin(g) + 0.0722*lin(b)
}
