package theme

// Face is one of the fonts that a picture uses: the Go fonts, BSD-licensed.
type Face uint8

// The faces.
const (
	Regular Face = iota
	Bold
	Mono
)

// unitsPerEm is the resolution of the tables.
const unitsPerEm = 2048

// monoAdvance is the advance of every character of Go Mono.
const monoAdvance = 1229

// Advance is the width of r in CSS px at the given size. It agrees with the
// fonts' own tables for ASCII, Latin-1 and the marks that the stage uses.
func Advance(f Face, r rune, size float32) float32 {
	return float32(units(f, r)) * size / unitsPerEm
}

// Width is the width of text in CSS px at the given size.
func Width(f Face, text []byte, size float32) float32 {
	if f == Mono {
		n := 0
		for _, c := range text {
			if c&0xc0 != 0x80 {
				n++
			}
		}
		return float32(n*monoAdvance) * size / unitsPerEm
	}
	sum := 0
	for i := 0; i < len(text); {
		if c := text[i]; c < 0x80 {
			sum += units(f, rune(c))
			i++
			continue
		}
		r, n := decode(text[i:])
		sum += units(f, r)
		i += n
	}
	return float32(sum) * size / unitsPerEm
}

func units(f Face, r rune) int {
	if f == Mono {
		return monoAdvance
	}
	table := &regular
	if f == Bold {
		table = &bold
	}
	switch {
	case r >= 0x20 && r < 0x7f:
		return int(table[r-0x20])
	case r >= 0xa0 && r <= 0xff:
		return int(table[r-0xa0+0x5f])
	}
	switch r {
	case '…', '—', '→', '←':
		return 2048
	case '↑', '↓':
		return 1024
	case '–':
		if f == Regular {
			return 1024
		}
	case '‹', '›':
		return 682
	case '−':
		return 1196
	case '≤', '≥':
		return 1124
	}
	return 1139
}

// decode reads one rune; a byte that is none counts as one of average width.
func decode(b []byte) (rune, int) {
	switch {
	case len(b) >= 2 && b[0]&0xe0 == 0xc0:
		return rune(b[0]&0x1f)<<6 | rune(b[1]&0x3f), 2
	case len(b) >= 3 && b[0]&0xf0 == 0xe0:
		return rune(b[0]&0x0f)<<12 | rune(b[1]&0x3f)<<6 | rune(b[2]&0x3f), 3
	case len(b) >= 4 && b[0]&0xf8 == 0xf0:
		return 'm', 4
	}
	return 'n', 1
}

// regular holds the advances of U+0020..7E and U+00A0..FF of Go Regular.
var regular = [191]uint16{
	569, 569, 727, 1139, 1139, 1821, 1366, 391, 682, 682, 1196, 1196, 648, 1196, 648, 569,
	1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 627, 627, 1196, 1196, 1196, 1139,
	2079, 1366, 1366, 1479, 1479, 1366, 1251, 1593, 1479, 817, 1015, 1366, 1139, 1706, 1479, 1593,
	1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 569, 569, 569, 960, 1139,
	682, 1139, 1139, 1024, 1139, 1139, 569, 1139, 1139, 505, 519, 1024, 548, 1706, 1139, 1139,
	1139, 1139, 682, 1024, 579, 1139, 1024, 1479, 1024, 1024, 1024, 684, 532, 684, 1196, 569,
	682, 1139, 1139, 1139, 1139, 532, 1139, 682, 1509, 758, 1139, 1196, 682, 1509, 1139, 819,
	1196, 933, 933, 682, 1139, 1100, 547, 682, 933, 748, 1139, 1708, 1708, 1708, 1251, 1366,
	1366, 1366, 1366, 1366, 1366, 2048, 1479, 1366, 1366, 1366, 1366, 817, 817, 817, 817, 1489,
	1479, 1593, 1593, 1593, 1593, 1593, 1196, 1593, 1479, 1479, 1479, 1479, 1366, 1366, 1251, 1139,
	1139, 1139, 1139, 1139, 1139, 1821, 1024, 1139, 1139, 1139, 1139, 505, 505, 505, 505, 1139,
	1139, 1139, 1139, 1139, 1139, 1139, 1196, 1251, 1139, 1139, 1139, 1139, 1024, 1139, 1024,
}

// bold holds the advances of U+0020..7E and U+00A0..FF of Go Bold.
var bold = [191]uint16{
	569, 682, 971, 1139, 1139, 1821, 1479, 487, 682, 682, 1143, 1196, 569, 1196, 569, 569,
	1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 1139, 682, 682, 1196, 1196, 1196, 1251,
	1997, 1479, 1479, 1479, 1479, 1366, 1251, 1593, 1479, 928, 1139, 1479, 1251, 1706, 1479, 1593,
	1366, 1593, 1479, 1366, 1251, 1479, 1366, 1933, 1366, 1366, 1251, 682, 569, 682, 1196, 1139,
	682, 1139, 1251, 1139, 1251, 1139, 682, 1251, 1251, 592, 589, 1139, 611, 1821, 1251, 1251,
	1251, 1251, 797, 1139, 682, 1251, 1139, 1593, 1139, 1139, 1024, 797, 573, 797, 1196, 569,
	682, 1139, 1139, 1139, 1139, 573, 1139, 682, 1509, 758, 1139, 1196, 682, 1509, 1139, 819,
	1196, 1013, 1013, 682, 1251, 1139, 568, 682, 1013, 748, 1139, 1708, 1708, 1708, 1251, 1479,
	1479, 1479, 1479, 1479, 1479, 2048, 1479, 1366, 1366, 1366, 1366, 928, 928, 928, 928, 1479,
	1479, 1593, 1593, 1593, 1593, 1593, 1196, 1593, 1479, 1479, 1479, 1479, 1366, 1366, 1251, 1139,
	1139, 1139, 1139, 1139, 1139, 1821, 1139, 1139, 1139, 1139, 1139, 592, 592, 592, 592, 1251,
	1251, 1251, 1251, 1251, 1251, 1251, 1196, 1251, 1251, 1251, 1251, 1251, 1139, 1251, 1139,
}
