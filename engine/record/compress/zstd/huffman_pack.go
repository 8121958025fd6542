package zstd

// huffmanCoder encodes literals.
type huffmanCoder struct {
	log    int
	length [256]uint8 // of the code, in bits; 0: the symbol does not occur
	code   [256]uint16
}

// fit makes the code for bytes that occur so often; at least two occur.
func (h *huffmanCoder) fit(count *[256]int) {
	order := make([]uint8, 0, 256) // of the symbols: the rarest first
	for symbol, n := range count {
		if n == 0 {
			continue
		}
		order = append(order, uint8(symbol))
		for i := len(order) - 1; i > 0 && count[order[i-1]] > n; i-- {
			order[i-1], order[i] = order[i], order[i-1]
		}
	}
	h.lengths(order, count)
	h.shorten(order)
	for _, symbol := range order {
		h.log = max(h.log, int(h.length[symbol]))
	}
	var at [codeBitsMax + 2]int // of the next code so long, in the table that decodes
	for _, symbol := range order {
		at[h.length[symbol]-1] += 1 << (h.log - int(h.length[symbol]))
	}
	for n := h.log - 1; n >= 0; n-- {
		at[n] += at[n+1] // where codes of n bits begin: behind all the longer ones
	}
	for symbol, n := range h.length {
		if n > 0 {
			h.code[symbol] = uint16(at[n] >> (h.log - int(n)))
			at[n] += 1 << (h.log - int(n))
		}
	}
}

// lengths is Huffman's tree: again and again the two rarest become one node.
// Leaves are in order, nodes arise in order, so the rarest is the first of either.
func (h *huffmanCoder) lengths(order []uint8, count *[256]int) {
	n := len(order)
	var weight [511]int
	var parent [511]int
	for i, symbol := range order {
		weight[i] = count[symbol]
	}
	leaf, node := 0, n
	for fresh := n; fresh < 2*n-1; fresh++ {
		for range 2 {
			child := leaf
			if leaf == n || node < fresh && weight[node] < weight[leaf] {
				child = node
				node++
			} else {
				leaf++
			}
			weight[fresh] += weight[child]
			parent[child] = fresh
		}
	}
	var depth [511]int
	for i := 2*n - 3; i >= 0; i-- {
		depth[i] = depth[parent[i]] + 1
	}
	for i, symbol := range order {
		h.length[symbol] = uint8(min(depth[i], 255))
	}
}

// shorten makes codes longer than codeBitsMax as short as that, and others longer
// in return: the rarest first.
func (h *huffmanCoder) shorten(order []uint8) {
	room := 1 << codeBitsMax // each code takes its part
	for _, symbol := range order {
		h.length[symbol] = min(h.length[symbol], codeBitsMax)
		room -= 1 << (codeBitsMax - h.length[symbol])
	}
	for room < 0 {
		for _, symbol := range order {
			if n := h.length[symbol]; room < 0 && n < codeBitsMax {
				h.length[symbol]++
				room += 1 << (codeBitsMax - n - 1)
				break
			}
		}
	}
	for room > 0 { // too much was taken: the most frequent get it back
		for i := len(order) - 1; i >= 0; i-- {
			if part := 1 << (codeBitsMax - h.length[order[i]]); part <= room && h.length[order[i]] > 1 {
				h.length[order[i]]--
				room -= part
			}
		}
	}
}

// write appends the table, with FSE where that is smaller; no says that neither
// way can express it.
func (h *huffmanCoder) write(dst []byte) ([]byte, bool) {
	var weight [256]uint8
	n := -1 // the last symbol's is not written
	for symbol, length := range h.length {
		if length > 0 {
			weight[symbol] = uint8(h.log + 1 - int(length))
			n = symbol
		}
	}
	at := len(dst)
	dst = writeWeights(append(dst, 0), weight[:n])
	if size := len(dst) - at - 1; size > 0 && size < directMax && size <= (n+1)/2 {
		dst[at] = byte(size)
		return dst, true
	}
	if n > directMax {
		return dst, false
	}
	dst = append(dst[:at], byte(n+directMax-1))
	weight[n] = 0
	for i := 0; i < n; i += 2 {
		dst = append(dst, weight[i]<<4|weight[i+1])
	}
	return dst, true
}

// writeWeights appends weights with FSE, or nothing where that cannot be: two
// states take turns.
func writeWeights(dst []byte, weight []uint8) []byte {
	var count [weightMax + 1]int
	for _, w := range weight {
		count[w]++
	}
	for _, n := range count {
		if n == len(weight) {
			return dst // all alike: a state would take no bits, and a reader see no end
		}
	}
	var s shares
	var t table
	var c fseCoder
	s.fit(count[:], weightsLogMax)
	t.fill(&s)
	c.fill(&t, &s)
	w := writer{dst: s.write(dst)}
	last := len(weight) - 1
	var state [2]int
	state[last&1], state[^last&1] = c.begin(weight[last]), c.begin(weight[last-1])
	for i := last - 2; i >= 0; i-- {
		state[i&1] = c.step(&w, state[i&1], weight[i])
	}
	w.put(state[1], s.log)
	w.put(state[0], s.log)
	w.end()
	return w.dst
}

// encode appends literals as one stream; the first is the last to be written.
func (h *huffmanCoder) encode(dst, literals []byte) []byte {
	w := writer{dst: dst}
	for i := len(literals) - 1; i >= 0; i-- {
		w.put(int(h.code[literals[i]]), int(h.length[literals[i]]))
	}
	w.end()
	return w.dst
}
