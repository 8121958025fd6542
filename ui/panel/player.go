package panel

import (
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// caption is what the script says now, where there is no lesson beside the picture.
func (c *Player) caption() string {
	if !c.p.M.Embed {
		return ""
	}
	return strings.Join(says(c.p.M), " ")
}

func (c *Player) on() string {
	m := c.p.M
	return yes(m.Playing || m.Seeking && m.Resume)
}

func (c *Player) playLabel() string {
	if c.on() == "true" {
		return "Pause"
	}
	return "Play"
}

func (c *Player) clock() string { return Clock(c.p.M) }

// Clock is the time as the player shows it; the root writes it every frame.
func Clock(m *model.Model) string {
	if m.Seeking {
		return "→ " + clock(m.SeekGoal) + " s"
	}
	return clock(m.Now) + " s"
}

func (c *Player) exact() string {
	return grouped(int64(c.p.M.Now)) + " ns, event " + grouped(int64(c.p.M.Event))
}

func (c *Player) speedMax() string { return itoa(len(model.Speeds) - 1) }

func (c *Player) speed() string { return model.Speeds[c.p.M.Speed].Label }

// rate is the speed in force.
func (c *Player) rate() string { return model.Speeds[c.p.M.Rate()].Label }

// speedNote follows the speed: " · slows for events", or what holds time up.
func (c *Player) speedNote() string {
	m := c.p.M
	switch {
	case m.Opening:
		return " · opening…"
	case m.Seeking:
		return " · computing"
	case m.Violation != nil:
		return " · stopped: a law broke"
	case m.LaggingBehind():
		return " · the engine is behind"
	case m.SlowEvents && m.SlowLeft > 0:
		return " · slowed for an event"
	case m.SlowEvents:
		return " · slows for events"
	}
	return ""
}

// tick is a labelled marker over the scrubber.
type tick struct{ At, Kind, Style, Label string }

// ticksMax is how many markers are drawn; the rest can be reached by key.
const ticksMax = 80

func (c *Player) marks() []tick {
	m := c.p.M
	var out []tick
	for _, k := range m.Facts.Markers {
		if len(out) == ticksMax {
			break
		}
		out = append(out, tick{
			At: strconv.FormatInt(int64(k.At), 10), Kind: k.Kind, Style: "left:" + percent(k.At, m.Length()), Label: seconds(k.At) + ": " + k.Label,
		})
	}
	return out
}

// percent is how far t is of length, for a style: "12.34%".
func percent(t, length kafka.Instant) string {
	part := int64(0)
	if length > 0 {
		part = int64(float64(min(max(t, 0), length)) / float64(length) * 1e4)
	}
	frac := strconv.FormatInt(part%100+100, 10)[1:]
	return strconv.FormatInt(part/100, 10) + "." + frac + "%"
}

// Progress is how far time is, as the scrubber's width; the root writes it
// every frame.
func Progress(m *model.Model) string {
	if m.Seeking {
		return percent(m.SeekGoal, m.Length())
	}
	return percent(m.Now, m.Length())
}

func (c *Player) fill() string  { return "width:" + Progress(c.p.M) }
func (c *Player) thumb() string { return "left:" + Progress(c.p.M) }

func (c *Player) lengthMs() string { return ms(c.p.M.Length()) }
func (c *Player) nowMs() string    { return ms(c.p.M.Now) }

// spoken is the slider's value in words: "5.2 seconds of 20".
func (c *Player) spoken() string {
	m := c.p.M
	now, all := seconds(m.Now), seconds(m.Length())
	return now[:len(now)-2] + " seconds of " + all[:len(all)-2]
}

func (c *Player) end() string { return seconds(c.p.M.Length()) }

func (c *Player) seed() string {
	m := c.p.M
	n := len(m.Facts.Edits)
	s := "seed " + strconv.FormatUint(m.Info.Seed, 10) + " · " + itoa(n) + " edit"
	if n != 1 {
		s += "s"
	}
	return s
}

func (c *Player) link() string {
	m := c.p.M
	if m.LinkErr != "" {
		return "no link: too long"
	}
	return "link " + itoa(m.Chars) + " characters"
}

// full is the address of this moment outside of an embed.
func (c *Player) full() string {
	if c.p.M.URL != "" {
		return c.p.M.URL
	}
	return "./"
}
