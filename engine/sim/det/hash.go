package det

// Hash sums state into 64 bits (FNV-1a over the fields' bytes): the digest by
// which two runs are compared. It is not for adversaries.
type Hash struct{ sum uint64 }

const (
	fnvOffset = 14695981039346656037
	fnvPrime  = 1099511628211
)

// NewHash returns an empty hash.
func NewHash() *Hash { return &Hash{sum: fnvOffset} }

// Uint64 adds a number.
func (h *Hash) Uint64(v uint64) {
	for range 8 {
		h.sum = (h.sum ^ v&0xff) * fnvPrime
		v >>= 8
	}
}

// Int adds a signed number.
func (h *Hash) Int(v int64) { h.Uint64(uint64(v)) }

// Bool adds a truth value.
func (h *Hash) Bool(b bool) {
	if b {
		h.Uint64(1)
	} else {
		h.Uint64(0)
	}
}

// String adds a text and its length.
func (h *Hash) String(s string) {
	h.Uint64(uint64(len(s)))
	for i := 0; i < len(s); i++ {
		h.sum = (h.sum ^ uint64(s[i])) * fnvPrime
	}
}

// Bytes adds bytes and their count.
func (h *Hash) Bytes(b []byte) {
	h.Uint64(uint64(len(b)))
	for _, c := range b {
		h.sum = (h.sum ^ uint64(c)) * fnvPrime
	}
}

// Sum returns the digest so far.
func (h *Hash) Sum() uint64 { return h.sum }
