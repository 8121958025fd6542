package raft

import (
	"encoding/binary"
	"errors"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// kraftVersion1 is a KRaftVersionRecord that says that voters are dynamic.
var kraftVersion1 = []byte{0, 0, 0, 1, 0}

// The listener that controllers are told under, and its port.
const (
	listenerName = "CONTROLLER"
	listenerPort = 9093
)

// kraftVersionMax is the highest kraft.version that replicas know.
const kraftVersionMax = 1

// encodeVoters makes a VotersRecord of version 0
// (clients/resources/common/message/VotersRecord.json).
func encodeVoters(vs []Voter) []byte {
	b := binary.AppendUvarint([]byte{0, 0}, uint64(len(vs))+1)
	for _, v := range vs {
		b = binary.BigEndian.AppendUint32(b, uint32(v.ID))
		b = append(b, v.Directory[:]...)
		b = append(b, 2) // one endpoint
		b = append(binary.AppendUvarint(b, uint64(len(listenerName))+1), listenerName...)
		b = append(binary.AppendUvarint(b, uint64(len(v.Host))+1), v.Host...)
		b = binary.BigEndian.AppendUint16(b, v.Port)
		b = append(b, 0) // tags of the endpoint
		b = binary.BigEndian.AppendUint16(b, uint16(v.MinVersion))
		b = binary.BigEndian.AppendUint16(b, uint16(v.MaxVersion))
		b = append(b, 0, 0) // tags of the versions and of the voter
	}
	return append(b, 0)
}

var errVoters = errors.New("raft: a VotersRecord ends early")

// cursor reads a message; bad stays true once it has run out of bytes.
type cursor struct {
	b   []byte
	bad bool
}

func (c *cursor) take(n uint64) []byte {
	if c.bad || n > uint64(len(c.b)) {
		c.bad = true
		return make([]byte, min(n, 16))
	}
	out := c.b[:n]
	c.b = c.b[n:]
	return out
}

func (c *cursor) uvarint() uint64 {
	v, n := binary.Uvarint(c.b)
	if n <= 0 {
		c.bad = true
		return 0
	}
	c.b = c.b[n:]
	return v
}

// tags passes over tagged fields.
func (c *cursor) tags() {
	for n := c.uvarint(); n > 0 && !c.bad; n-- {
		c.uvarint()
		c.take(c.uvarint())
	}
}

// DecodeVoters reads the value of a KRAFT_VOTERS control record.
func DecodeVoters(value []byte) ([]Voter, error) { return decodeVoters(value) }

// decodeVoters reads a VotersRecord. Of several endpoints the last counts: those
// that are written here have one.
func decodeVoters(b []byte) ([]Voter, error) {
	c := cursor{b: b}
	c.take(2)
	var vs []Voter
	for n := c.uvarint(); n > 1 && !c.bad; n-- {
		v := Voter{ID: kafka.NodeID(binary.BigEndian.Uint32(c.take(4)))}
		copy(v.Directory[:], c.take(16))
		for e := c.uvarint(); e > 1 && !c.bad; e-- {
			c.take(max(c.uvarint(), 1) - 1)
			v.Host = string(c.take(max(c.uvarint(), 1) - 1))
			v.Port = binary.BigEndian.Uint16(c.take(2))
			c.tags()
		}
		v.MinVersion, v.MaxVersion = int16(binary.BigEndian.Uint16(c.take(2))), int16(binary.BigEndian.Uint16(c.take(2)))
		c.tags()
		c.tags()
		vs = append(vs, v)
	}
	c.tags()
	if c.bad {
		return nil, errVoters
	}
	return vs, nil
}
