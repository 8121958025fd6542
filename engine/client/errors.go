package client

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/sim"
)

// Seen counts one error code that a client met.
type Seen struct {
	Code  kafka.ErrorCode
	Count int64
	First kafka.Instant
	Last  kafka.Instant
}

// Errors counts the errors that a client met, by code, in the order in which
// each was first met. A client-side exception counts under the code that Kafka
// gives it (clients/common/protocol/Errors.java forException): TimeoutException
// is REQUEST_TIMED_OUT, RecordTooLargeException is MESSAGE_TOO_LARGE.
type Errors struct {
	list   []Seen
	last   kafka.ErrorCode
	lastAt kafka.Instant
}

// Add counts one error.
func (e *Errors) Add(now kafka.Instant, code kafka.ErrorCode) {
	e.last, e.lastAt = code, now
	i := slices.IndexFunc(e.list, func(s Seen) bool { return s.Code == code })
	if i < 0 {
		e.list = append(e.list, Seen{Code: code, First: now})
		i = len(e.list) - 1
	}
	e.list[i].Count++
	e.list[i].Last = now
}

// List returns the counts; the caller must not change them.
func (e *Errors) List() []Seen { return e.list }

// Of returns the count of one code; a Count of 0 says that it was never met.
func (e *Errors) Of(code kafka.ErrorCode) Seen {
	for _, s := range e.list {
		if s.Code == code {
			return s
		}
	}
	return Seen{Code: code, First: kafka.Never, Last: kafka.Never}
}

// Last returns the latest error and its instant; None if there was none.
func (e *Errors) Last() (kafka.ErrorCode, kafka.Instant) { return e.last, e.lastAt }

// Clone returns a copy.
func (e *Errors) Clone() Errors {
	c := *e
	c.list = slices.Clone(e.list)
	return c
}

// Digest writes the counts.
func (e *Errors) Digest(h *sim.Hash) {
	h.Int(int64(e.last))
	h.Int(int64(e.lastAt))
	h.Int(int64(len(e.list)))
	for _, s := range e.list {
		h.Int(int64(s.Code))
		h.Int(s.Count)
		h.Int(int64(s.First))
		h.Int(int64(s.Last))
	}
}
