package record

import (
	"errors"
	"fmt"
)

// What can be wrong with packed bytes, for errors.Is.
var (
	// ErrCutOff is packed data that ends too early.
	ErrCutOff = errors.New("cut off")
	// ErrTooLarge is packed data that unpacks to more than the limit.
	ErrTooLarge = errors.New("too large")
	// ErrChecksum is packed data, or what it unpacks to, that is not what was packed.
	ErrChecksum = errors.New("checksum differs")
	// ErrCorrupt is packed data that breaks the rules of its format.
	ErrCorrupt = errors.New("corrupt")
	// ErrUnsupported is packed data that may be right and needs what is not here.
	ErrUnsupported = errors.New("not supported")
)

// Broken is packed data that does not unpack.
type Broken struct {
	At   int    // where, in bytes from the begin of the packed data
	Kind error  // one of the five above
	What string // which part of the format, and what is wrong with it
}

// Error says what is broken and where.
func (b *Broken) Error() string { return fmt.Sprintf("%v at byte %d: %s", b.Kind, b.At, b.What) }

// Unwrap returns the kind.
func (b *Broken) Unwrap() error { return b.Kind }

// NewBroken tells of a part of packed data: a slice of it that has its capacity, so
// that its place follows.
func NewBroken(packed, part []byte, kind error, format string, args ...any) *Broken {
	return &Broken{At: cap(packed) - cap(part), Kind: kind, What: fmt.Sprintf(format, args...)}
}
