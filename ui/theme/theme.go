package theme

// Color is 0xRRGGBBAA, not premultiplied.
type Color uint32

// Alpha returns the colour with its opacity multiplied by a, from 0 to 1.
func (c Color) Alpha(a float32) Color {
	switch {
	case a <= 0:
		return c &^ 0xff
	case a >= 1:
		return c
	}
	return c&^0xff | Color(float32(c&0xff)*a+0.5)
}

// Over returns the opaque colour that c gives when painted over the opaque bg.
func (c Color) Over(bg Color) Color {
	a := uint32(c & 0xff)
	mix := func(shift uint) Color {
		f, b := uint32(c>>shift)&0xff, uint32(bg>>shift)&0xff
		return Color((f*a + b*(255-a) + 127) / 255 << shift)
	}
	return mix(24) | mix(16) | mix(8) | 0xff
}

// RGBA returns the four channels.
func (c Color) RGBA() (r, g, b, a uint8) {
	return uint8(c >> 24), uint8(c >> 16), uint8(c >> 8), uint8(c)
}

// AppendHex appends "#rrggbb", without the opacity.
func (c Color) AppendHex(dst []byte) []byte {
	const digits = "0123456789abcdef"
	dst = append(dst, '#')
	for shift := 28; shift >= 8; shift -= 4 {
		dst = append(dst, digits[c>>uint(shift)&0xf])
	}
	return dst
}

// Theme is everything that a picture needs to know about looks.
type Theme struct {
	Name  string // dark, light
	Keys  string // okabe-ito, tol, contrast
	Light bool

	Bg, Panel, Row, Card, Raised, Well, Line   Color
	Text, Soft, Muted, Faint                   Color
	Accent, OnAccent                           Color
	Leader, InSync, Warn, Bad, HW, LSO, Shadow Color
	WarnRow, BadRow                            Color    // backgrounds of a row in trouble
	Key                                        [8]Color // records by key
	KeyInk                                     Color    // letters on them
	KeyLine                                    Color    // outline of cells; transparent if not needed
	NoKey, NoKeyToo                            Color    // records without a key
}

// Keys' palettes, in the order of numbers at the end of keys.
var (
	// Okabe and Ito 2008, dimmed so that a wall of cells does not outshine the marks.
	okabeIto = [8]Color{0x4f7cacff, 0xb5654aff, 0xb07aa1ff, 0xc9a227ff, 0x5fa8a0ff, 0x6a9f58ff, 0x7d83c9ff, 0xd98b5fff}
	// Paul Tol's muted scheme.
	tolMuted = [8]Color{0x88cceeff, 0xcc6677ff, 0xddcc77ff, 0x44aa99ff, 0xaa4499ff, 0x999933ff, 0x6f66c9ff, 0x2f9a55ff}
	// High contrast: light and dark by turns.
	contrast = [8]Color{0xffffffff, 0xffd400ff, 0x00c2ffff, 0xff7ab8ff, 0x9dff6eff, 0xff9f43ff, 0xb9a2ffff, 0x6effe4ff}
)

// Dark is the default: on its background every hue reaches 3.4:1.
var Dark = Theme{
	Name: "dark", Keys: "okabe-ito",
	Bg: 0x0d1220ff, Panel: 0x131a2bff, Row: 0x111829ff, Card: 0x182138ff, Raised: 0x1d2a48ff, Well: 0x0b1020ff, Line: 0x26324dff,
	Text: 0xe6ebf5ff, Soft: 0xc4cde0ff, Muted: 0x8e9bb8ff, Faint: 0x46557aff,
	Accent: 0x7aa2ffff, OnAccent: 0x0d1220ff,
	Leader: 0x56b4e9ff, InSync: 0x2bb893ff, Warn: 0xe69f00ff, Bad: 0xf0703aff, HW: 0xf0e442ff, LSO: 0xcc79a7ff, Shadow: 0x00000080,
	WarnRow: 0x1b1520ff, BadRow: 0x1a1119ff,
	Key: okabeIto, KeyInk: 0x0b1020ff, NoKey: 0x7b88a6ff, NoKeyToo: 0x66738fff,
}

// Light is for projectors in bright rooms and for print.
var Light = Theme{
	Name: "light", Keys: "okabe-ito", Light: true,
	Bg: 0xf6f8fcff, Panel: 0xffffffff, Row: 0xffffffff, Card: 0xffffffff, Raised: 0xe3ebfbff, Well: 0xf0f3f9ff, Line: 0xc6d0e2ff,
	Text: 0x131a2bff, Soft: 0x2f3b55ff, Muted: 0x566380ff, Faint: 0x98a4bdff,
	Accent: 0x2f5fd0ff, OnAccent: 0xffffffff,
	Leader: 0x0b6fb0ff, InSync: 0x0b7a5bff, Warn: 0x96610aff, Bad: 0xb8420cff, HW: 0x8a7500ff, LSO: 0xa0407aff, Shadow: 0x1f2a4440,
	WarnRow: 0xfff6e5ff, BadRow: 0xfdeee8ff,
	Key: okabeIto, KeyInk: 0x0b1020ff, KeyLine: 0x2f3b55b0, NoKey: 0xaab3c6ff, NoKeyToo: 0xc3cad8ff,
}

// New returns the theme of a name ("dark", "light") with a palette of keys
// ("okabe-ito", "tol", "contrast"); an unknown name gives the first of each.
func New(name, keys string) Theme {
	t := Dark
	if name == Light.Name {
		t = Light
	}
	switch keys {
	case "tol":
		t.Keys, t.Key = keys, tolMuted
	case "contrast":
		t.Keys, t.Key = keys, contrast
		if t.Light {
			t.KeyLine = 0x131a2bff
		}
	}
	return t
}

// ForKey is the colour of a key: by the number at its end if it has one, so that
// k0 to k7 all differ; a short name by its first letter, so that ada, bob and eve
// do; else by a hash of its bytes.
func (t *Theme) ForKey(key string) Color {
	n := uint32(0)
	switch digits := endDigits(key); {
	case digits > 0:
		for i := len(key) - digits; i < len(key); i++ {
			n = n*10 + uint32(key[i]-'0')
		}
	case key != "" && len(key) <= 6 && key[0] >= 'a' && key[0] <= 'z':
		n = uint32(key[0] - 'a')
	default:
		n = 2166136261
		for i := 0; i < len(key); i++ {
			n = (n ^ uint32(key[i])) * 16777619
		}
		n ^= n >> 15
	}
	return t.Key[n%uint32(len(t.Key))]
}

// endDigits is how many digits a key ends in, at most six.
func endDigits(key string) (n int) {
	for n < 6 && n < len(key) && key[len(key)-1-n] >= '0' && key[len(key)-1-n] <= '9' {
		n++
	}
	return n
}
