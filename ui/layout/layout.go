package layout

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// Level is a level of detail.
type Level uint8

// The levels, finest first.
const (
	Auto  Level = iota // by the room that a column has
	Cells              // a record is a cell
	Bars               // a replica is a bar
	Tiles              // a replica is a tile, rows wrap
)

// String is the level's name.
func (l Level) String() string {
	return [...]string{"auto", "cells", "bars", "tiles"}[l&3]
}

// Rect is a rectangle in CSS px.
type Rect struct{ X, Y, W, H float32 }

// Contains reports whether the point lies in r.
func (r Rect) Contains(x, y float32) bool {
	return x >= r.X && y >= r.Y && x < r.X+r.W && y < r.Y+r.H
}

// Intersect is the part of r that lies in o; its size may be 0.
func (r Rect) Intersect(o Rect) Rect {
	x, y := max(r.X, o.X), max(r.Y, o.Y)
	return Rect{x, y, max(0, min(r.X+r.W, o.X+o.W)-x), max(0, min(r.Y+r.H, o.Y+o.H)-y)}
}

// Inset is r made smaller by d on each side.
func (r Rect) Inset(d float32) Rect { return Rect{r.X + d, r.Y + d, r.W - 2*d, r.H - 2*d} }

// Spec is the room that a plan has.
type Spec struct {
	W, H   float32 // of the stage
	Zoom   float32 // at least 1
	Level  Level   // Auto, or a level to force
	Unfold string  // an internal topic to show; others stay folded
}

// Row is a broker's row; Broker is its index in view.Cluster.Brokers.
type Row struct {
	Broker int
	Rect   Rect
	Rack   bool // the first row of its rack
}

// Rack is a group of rows with one broker.rack.
type Rack struct {
	Name     string
	Rect     Rect // around the rows, with a line for the name above them
	First, N int  // rows
}

// Column is a partition's column; X counts from the matrix's left edge.
type Column struct {
	Topic, Partition int // indexes into the cluster
	X, W             float32
}

// Block is a topic's part of the matrix: as tiles (at Tiles, and an internal
// topic always) its partitions lie in lines of Per; else they are the columns
// First to First+N.
type Block struct {
	Topic    int
	X, W     float32
	Per      int // tiles per line; 0 for columns
	First, N int
}

// Group is a consumer group's place; its cards are First to First+N.
type Group struct {
	Name     string
	Rect     Rect // of the label
	First, N int
}

// Card is a client's card; Client is its index in the cluster.
type Card struct {
	Client int
	Rect   Rect
}

// Plan is where everything is. Compute reuses its memory.
type Plan struct {
	W, H    float32 // of the whole content; W covers gutter, matrix and margin
	Level   Level
	Narrow  bool // a phone's width
	Compact bool // little height: short cards

	Pad                float32
	GutterX, GutterW   float32
	MatrixX, MatrixW   float32 // the window that the matrix scrolls in
	ColumnsW           float32 // of all of the matrix
	QuorumY, QuorumH   float32
	Controllers        []Rect
	Racks              []Rack // groups of rows; none where every rack has one broker
	Producers          []Card
	HeadY, HeadH       float32
	Rows               []Row
	Columns            []Column
	Blocks             []Block
	Folded             []int   // topics without a block
	BoxTop, BoxH       float32 // of a replica's box in its row
	Tile               float32 // size of a tile, at Tiles
	MarksY, MarksH     float32
	Groups             []Group
	Consumers          []Card
	CellW, CellPitch   float32 // of a record, at Cells
	CellN              int     // records that fit into a box
	BoxPad             float32 // from a box's edge to its first cell
	topics, partitions int     // with columns of their own
	tiled              int     // blocks that are tiles at every level
	order              []int
}

// Steps of a column's width with the gaps between partitions and topics.
var steps = [...]struct{ w, gap, topic float32 }{
	{260, 18, 60}, {230, 17, 54}, {200, 16, 48}, {170, 14, 44}, {150, 12, 36}, {130, 10, 30}, {114, 9, 26}, {100, 8, 22}, {88, 8, 20}, {78, 6, 18}, {68, 6, 16}, {60, 5, 14},
	{56, 4, 12}, {50, 4, 11}, {44, 4, 10}, {36, 4, 10}, {30, 3, 9}, {24, 3, 8},
}

// Widths at which the level changes.
const (
	cellsFrom = 50
	barsFrom  = 22
	fullWidth = 260
	tileMin   = 5
)

// Compute fills p for the cluster in the given room.
func Compute(c *view.Cluster, s Spec, p *Plan) {
	p.reset(s)
	if c == nil || s.W <= 0 || s.H <= 0 {
		return
	}
	p.compute(c, s, s.H < 520 || len(c.Brokers) > 5)
	if p.H > s.H && !p.Compact && s.Zoom <= 1 {
		p.reset(s)
		p.compute(c, s, true)
	}
}

func (p *Plan) compute(c *view.Cluster, s Spec, compact bool) {
	zoom := max(1, s.Zoom)
	p.countTopics(c, s.Unfold)
	p.Compact = compact
	p.frame(s)
	y := p.above(c, s)
	below := p.heightBelow(c, s)
	rowsH := s.H - y - p.HeadH - below
	p.columns(c, s, zoom, rowsH)
	p.HeadY = y
	y = p.rows(c, y+p.HeadH)
	p.MarksY = y
	y = p.groups(c, s, y+p.MarksH)
	p.H = y + 6
	p.W = p.MatrixX + p.ColumnsW + (s.W - p.MatrixX - p.MatrixW)
}

func (p *Plan) reset(s Spec) {
	*p = Plan{
		Producers: p.Producers[:0], Controllers: p.Controllers[:0], Racks: p.Racks[:0], Rows: p.Rows[:0], Columns: p.Columns[:0], Blocks: p.Blocks[:0], Folded: p.Folded[:0],
		Groups: p.Groups[:0], Consumers: p.Consumers[:0], order: p.order[:0],
		W: s.W, H: s.H, Level: Cells,
	}
}

// countTopics sorts out which topics have a block: ordinary ones, and the
// internal one that was asked for, which always comes last.
func (p *Plan) countTopics(c *view.Cluster, unfold string) {
	for i := range c.Topics {
		if t := &c.Topics[i]; t.Internal && t.Name != unfold {
			p.Folded = append(p.Folded, i)
		} else if n := len(t.Partitions); n > 0 {
			p.Blocks = append(p.Blocks, Block{Topic: i, N: n})
			if t.Internal {
				p.tiled++
				continue
			}
			p.topics++
			p.partitions += n
		}
	}
}

// frame sets what depends on the room alone.
func (p *Plan) frame(s Spec) {
	p.Narrow = s.W < 560
	p.Pad, p.GutterW = 14, 72
	right := float32(24)
	if p.Narrow {
		p.Pad, p.GutterW, right = 6, 46, 14
	}
	p.GutterX = p.Pad
	p.MatrixX = p.Pad + p.GutterW
	p.MatrixW = max(1, s.W-p.MatrixX-p.Pad-right)
	p.HeadH, p.MarksH, p.BoxPad = 28, 18, 8
	if p.Compact {
		p.HeadH, p.MarksH = 24, 16
	}
}

// above places the quorum and the producers and returns where the head begins.
func (p *Plan) above(c *view.Cluster, s Spec) float32 {
	p.quorum(c, s)
	y := p.QuorumY + p.QuorumH
	if len(c.Producers) == 0 {
		return y + 4
	}
	h, gap := float32(36), float32(8)
	if p.Compact {
		h, gap = 32, 5
	}
	y += gap / 2
	x0, room := p.MatrixX, s.W-p.MatrixX-p.Pad
	per, w := cards(len(c.Producers), room, 120, 200, 14)
	for i := range c.Producers {
		r := Rect{x0 + float32(i%per)*(w+14), y + float32(i/per)*(h+gap), w, h}
		p.Producers = append(p.Producers, Card{Client: i, Rect: r})
	}
	lines := (len(c.Producers) + per - 1) / per
	return y + float32(lines)*(h+gap) + 2
}

// quorum places the controllers: one in a line, several with a line for their
// role and one for their log.
func (p *Plan) quorum(c *view.Cluster, s Spec) {
	p.QuorumY, p.QuorumH = 4, 26
	n := len(c.Controllers)
	x, w, gap := p.MatrixX+8, float32(118), float32(8)
	if n == 1 {
		x, w = p.MatrixX+88, 112
		if p.Narrow {
			x, w = p.Pad+88, 78
		}
	} else if n > 1 {
		p.QuorumH = 46
		room := s.W - p.Pad - x
		if !p.Narrow {
			room -= 150 // for counts and folded topics
		} else {
			gap = 4
		}
		w = min(w, (room-float32(n-1)*gap)/float32(n))
	}
	for range n {
		p.Controllers = append(p.Controllers, Rect{x, p.QuorumY, w, p.QuorumH})
		x += w + gap
	}
}

// cards is how many cards stand in a line, and how wide each is.
func cards(n int, room, least, most, gap float32) (per int, w float32) {
	w = min(most, (room-float32(n-1)*gap)/float32(n))
	if w >= least {
		return n, w
	}
	per = max(1, int((room+gap)/(least+gap)))
	return per, min(most, (room-float32(per-1)*gap)/float32(per))
}

// cardHeight is the height of a consumer's card.
func (p *Plan) cardHeight() float32 {
	if p.Compact {
		return 50
	}
	return 72
}

// heightBelow is what marks and groups take.
func (p *Plan) heightBelow(c *view.Cluster, s Spec) float32 {
	y := p.groups(c, s, p.MarksH)
	p.Groups, p.Consumers = p.Groups[:0], p.Consumers[:0]
	return y + 6
}

// groups places the consumers by group: groups stand side by side while there
// is room. It returns where it ended.
func (p *Plan) groups(c *view.Cluster, s Spec, y float32) float32 {
	const gap, least, most, label = 14, 108, 170, 18
	x0, room, h := p.MatrixX, s.W-p.MatrixX-p.Pad, p.cardHeight()
	x, bottom := x0, y
	for i := range c.Consumers {
		if firstOfGroup(c, i) {
			n := sizeOfGroup(c, i)
			per, w := cards(n, room, least, most, gap)
			width := float32(per)*(w+gap) - gap
			if x > x0 && x+width > x0+room+0.5 {
				x, y = x0, bottom+6
			}
			g := Group{Name: c.Consumers[i].Group, Rect: Rect{x, y, width, label}, First: len(p.Consumers), N: n}
			k := 0
			for j := i; j < len(c.Consumers); j++ {
				if c.Consumers[j].Group != g.Name {
					continue
				}
				r := Rect{x + float32(k%per)*(w+gap), y + label + float32(k/per)*(h+6), w, h}
				p.Consumers = append(p.Consumers, Card{Client: j, Rect: r})
				bottom = max(bottom, r.Y+h)
				k++
			}
			p.Groups = append(p.Groups, g)
			x += width + gap + 20
		}
	}
	return bottom
}

func firstOfGroup(c *view.Cluster, i int) bool {
	for j := 0; j < i; j++ {
		if c.Consumers[j].Group == c.Consumers[i].Group {
			return false
		}
	}
	return true
}

func sizeOfGroup(c *view.Cluster, i int) int {
	n := 0
	for j := i; j < len(c.Consumers); j++ {
		if c.Consumers[j].Group == c.Consumers[i].Group {
			n++
		}
	}
	return n
}

// rowOf returns the row of a broker, or -1.
func (p *Plan) rowOf(c *view.Cluster, id kafka.NodeID) int {
	for i := range p.Rows {
		if c.Brokers[p.Rows[i].Broker].ID == id {
			return i
		}
	}
	return -1
}

// RowOf returns the row of a broker, or -1.
func (p *Plan) RowOf(c *view.Cluster, id kafka.NodeID) int { return p.rowOf(c, id) }
