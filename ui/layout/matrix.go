package layout

import "github.com/highwater-sim/highwater/engine/view"

// columns chooses the level and the widths, and places columns or tiles. rowsH
// is the height that all rows together should have.
func (p *Plan) columns(c *view.Cluster, s Spec, zoom, rowsH float32) {
	p.rowHeight(c, rowsH, zoom)
	if p.partitions+p.tiled == 0 {
		return
	}
	room := p.MatrixW - p.tiledWidth()
	base := p.baseWidth(room)
	w := base * zoom
	p.Level = s.Level
	if p.Level == Auto {
		switch {
		case w < barsFrom:
			p.Level = Tiles
		case w < cellsFrom || p.BoxH < 38:
			p.Level = Bars
		default:
			p.Level = Cells
		}
	}
	if p.Level == Tiles {
		p.tiles(zoom)
		return
	}
	w = max(w, barsFrom)
	if p.Level == Cells {
		w = max(w, cellsFrom)
	}
	p.place(w)
	p.cells(w)
}

// rowHeight sets the box of a row: what fits, within what is legible.
func (p *Plan) rowHeight(c *view.Cluster, rowsH, zoom float32) {
	n := float32(max(1, len(c.Brokers)))
	gap := p.rowGap()
	h := (rowsH - (n-1)*gap - float32(racks(c))*rackHead) / n
	least := float32(64)
	if n > 4 {
		least = 44
	}
	h = min(max(h, least), 136)
	inset := min(14, h*0.13)
	if zoom > 1 {
		h = min(h*zoom, max(h, 160))
	}
	p.BoxTop = inset
	p.BoxH = h - 2*inset
}

func (p *Plan) rowGap() float32 {
	if p.Compact {
		return 6
	}
	return 12
}

// baseWidth is the width of a column when all fit: a step, so that a topic more
// or less moves nothing unless it must; below the last step what is left.
func (p *Plan) baseWidth(room float32) float32 {
	if p.partitions == 0 {
		return p.widest()
	}
	n, t := float32(p.partitions), float32(p.topics)
	if w := p.widest() * p.alone(); p.partitions < 3 && n*w+n*20 <= room {
		return w
	}
	for _, st := range steps {
		if st.w <= p.widest() && n*st.w+(n-t)*st.gap+(t-1)*st.topic <= room {
			return st.w
		}
	}
	return min(room/n, barsFrom-1)
}

// widest is the width of a column where there is room for all: by the window,
// so that there is room for more without moving what is there. One or two
// partitions alone may be wider still.
func (p *Plan) widest() float32 {
	w := float32(fullWidth)
	switch {
	case p.W < 1000:
		w = 170
	case p.W < 1300:
		w = 200
	}
	return w
}

// alone is how much wider than widest a lone partition, or one of two, may be.
func (p *Plan) alone() float32 {
	switch p.partitions {
	case 1:
		return 2.4
	case 2:
		return 1.6
	}
	return 1
}

// gaps are the spaces between columns of the width w.
func gaps(w float32) (gap, topic float32) {
	for _, st := range steps {
		if w >= st.w {
			return st.gap, st.topic
		}
	}
	last := steps[len(steps)-1]
	return last.gap, last.topic
}

func (p *Plan) place(w float32) {
	gap, topic := gaps(w)
	x := float32(0)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		if i > 0 {
			x += topic
		}
		b.X, b.First = x, len(p.Columns)
		if i >= len(p.Blocks)-p.tiled {
			p.Tile = innerTile
			b.Per = p.perLine(b)
			b.W = float32(b.Per) * innerTile
			x += max(120, b.W)
			continue
		}
		for k := range b.N {
			if k > 0 {
				x += gap
			}
			p.Columns = append(p.Columns, Column{Topic: b.Topic, Partition: k, X: x, W: w})
			x += w
		}
		b.W = x - b.X
	}
	p.ColumnsW = x
}

// innerTile is the size of a tile beside columns.
const innerTile = 13

// perLine is how many tiles of a block stand in a line beside columns.
func (p *Plan) perLine(b *Block) int {
	lines := max(1, int(p.BoxH/innerTile))
	return (b.N + lines - 1) / lines
}

// tiledWidth is what the blocks take that are tiles beside columns.
func (p *Plan) tiledWidth() float32 {
	w := float32(0)
	if p.tiled > 0 {
		for i := len(p.Blocks) - p.tiled; i < len(p.Blocks); i++ {
			w += max(120, float32(p.perLine(&p.Blocks[i]))*innerTile) + 24
		}
	}
	return w
}

// cells sets how a record looks in a column of the width w: from the full width
// on more room makes cells bigger, below it fewer of them fit.
func (p *Plan) cells(w float32) {
	p.CellW, p.CellPitch = 10, 12
	switch {
	case w < 62:
		p.BoxPad, p.CellW, p.CellPitch = 5, 7, 8.5
	case w < 80:
		p.BoxPad, p.CellW, p.CellPitch = 6, 8, 9.5
	}
	if w > fullWidth {
		k := w / fullWidth
		p.CellW, p.CellPitch = p.CellW*k, p.CellPitch*k
	}
	p.CellN = max(1, int((w-2*p.BoxPad+p.CellPitch-p.CellW)/p.CellPitch))
}

// tiles wraps each topic's partitions into lines; the tile is the largest that
// lets all topics stand side by side, and rows grow where it would be too small.
func (p *Plan) tiles(zoom float32) {
	room := p.MatrixW * zoom
	h := p.BoxH
	size := float32(0)
	for size == 0 {
		for t := float32(28); t >= tileMin; t-- {
			if p.tilesWidth(t, h) <= room {
				size = t
				break
			}
		}
		if size == 0 {
			h += tileMin
		}
	}
	p.Tile = size
	lines := int(h / size)
	// No taller than the tiles need, so that rows stay together.
	p.BoxH = float32(lines) * size
	x := float32(0)
	for i := range p.Blocks {
		b := &p.Blocks[i]
		b.Per = (b.N + lines - 1) / lines
		b.X, b.W = x, max(float32(b.Per)*size, p.blockMin())
		x += b.W + 10
	}
	p.ColumnsW = x - 10
}

// blockMin is the room that a topic's name has over a few tiles.
func (p *Plan) blockMin() float32 {
	if len(p.Blocks) > 6 {
		return 0
	}
	return 64
}

func (p *Plan) tilesWidth(size, h float32) float32 {
	lines := max(1, int(h/size))
	x := float32(0)
	for i := range p.Blocks {
		x += max(float32((p.Blocks[i].N+lines-1)/lines)*size, p.blockMin()) + 10
	}
	return x - 10
}

// TileRect is the place of a partition's tile, from the block's row: X from the
// matrix's left edge, Y from the box's top.
func (p *Plan) TileRect(b *Block, partition int) Rect {
	return Rect{
		b.X + float32(partition%b.Per)*p.Tile,
		float32(partition/b.Per) * p.Tile,
		p.Tile, p.Tile,
	}
}

// rows places the brokers, sorted by rack and then by id, from y on and returns
// where they end.
func (p *Plan) rows(c *view.Cluster, y float32) float32 {
	for i := range c.Brokers {
		p.order = append(p.order, i)
	}
	// Insertion sort: few brokers, mostly in order, and no allocation.
	for i := 1; i < len(p.order); i++ {
		for j := i; j > 0 && before(c, p.order[j], p.order[j-1]); j-- {
			p.order[j], p.order[j-1] = p.order[j-1], p.order[j]
		}
	}
	gap := p.rowGap()
	h := p.BoxH + 2*p.BoxTop
	grouped := racks(c)
	for i, b := range p.order {
		first := i == 0 || c.Brokers[b].Rack != c.Brokers[p.order[i-1]].Rack
		if i > 0 {
			y += gap
		}
		if first && grouped > 0 {
			y += rackHead
		}
		p.Rows = append(p.Rows, Row{Broker: b, Rect: Rect{p.Pad, y, p.MatrixX + p.MatrixW + p.rightMargin() - p.Pad, h}, Rack: first})
		y += h
		if grouped > 0 {
			p.rack(c, i)
		}
	}
	return y
}

// rackHead is the room for a rack's name over its first row.
const rackHead = 15

// racks is how many racks there are if rows are grouped by them: where some rack
// has several brokers. Otherwise it is 0.
func racks(c *view.Cluster) int {
	n := 0
	for i := range c.Brokers {
		if c.Brokers[i].Rack == "" {
			return 0
		}
		first := true
		for j := range i {
			first = first && c.Brokers[j].Rack != c.Brokers[i].Rack
		}
		if first {
			n++
		}
	}
	if n == len(c.Brokers) {
		return 0
	}
	return n
}

// rack adds row i to its group.
func (p *Plan) rack(c *view.Cluster, i int) {
	row := p.Rows[i]
	if row.Rack {
		r := Rect{row.Rect.X - 4, row.Rect.Y - rackHead, row.Rect.W + 8, 0}
		p.Racks = append(p.Racks, Rack{Name: c.Brokers[row.Broker].Rack, Rect: r, First: i})
	}
	g := &p.Racks[len(p.Racks)-1]
	g.N++
	g.Rect.H = row.Rect.Y + row.Rect.H + 4 - g.Rect.Y
}

func (p *Plan) rightMargin() float32 {
	if p.Narrow {
		return 14
	}
	return 24
}

func before(c *view.Cluster, a, b int) bool {
	x, y := &c.Brokers[a], &c.Brokers[b]
	if x.Rack != y.Rack {
		return x.Rack < y.Rack
	}
	return x.ID < y.ID
}
