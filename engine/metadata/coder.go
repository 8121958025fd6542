package metadata

import (
	"encoding/binary"
	"fmt"
)

// coder writes or reads the fields of a record in Kafka's flexible encoding:
// compact strings and arrays (length+1 as a varint, 0 for null) and tagged
// fields at the end (KIP-482). Each record names its fields once, for both ways.
type coder struct {
	b     []byte // writing: what is written so far; reading: what is left
	write bool
	err   error
}

// RawTag is a tagged field that this version does not know. It is kept, so that
// a record is written again as it was read.
type RawTag struct {
	Tag  uint32
	Data []byte
}

// take returns the next n bytes, or zeros once anything has gone wrong.
func (c *coder) take(n int) []byte {
	if c.err == nil && (n < 0 || n > len(c.b)) {
		c.err = fmt.Errorf("metadata: record ends early: %d bytes wanted, %d left", n, len(c.b))
	}
	if c.err != nil {
		return make([]byte, min(max(n, 0), 16))
	}
	p := c.b[:n]
	c.b = c.b[n:]
	return p
}

func (c *coder) uvarint(p *uint64) {
	if c.write {
		c.b = binary.AppendUvarint(c.b, *p)
		return
	}
	v, n := binary.Uvarint(c.b)
	if n <= 0 || v > 1<<32 {
		if c.err == nil {
			c.err = fmt.Errorf("metadata: broken varint with %d bytes left", len(c.b))
		}
		*p, c.b = 0, nil
		return
	}
	*p, c.b = v, c.b[n:]
}

// length codes a compact length: n+1, or 0 for null (n == -1).
func (c *coder) length(n int) int {
	v := uint64(n + 1)
	c.uvarint(&v)
	n = int(v) - 1
	if !c.write && n > len(c.b) {
		if c.err == nil {
			c.err = fmt.Errorf("metadata: length %d with %d bytes left", n, len(c.b))
		}
		return 0
	}
	return n
}

func (c *coder) bool(p *bool) {
	var v int8
	if *p {
		v = 1
	}
	num8(c, &v)
	*p = v != 0
}

func (c *coder) uint16(p *uint16) {
	v := int16(*p)
	num16(c, &v)
	*p = uint16(v)
}

func num8[T ~int8](c *coder, p *T) {
	if c.write {
		c.b = append(c.b, byte(*p))
		return
	}
	*p = T(c.take(1)[0])
}

func num16[T ~int16](c *coder, p *T) {
	if c.write {
		c.b = binary.BigEndian.AppendUint16(c.b, uint16(*p))
		return
	}
	*p = T(binary.BigEndian.Uint16(c.take(2)))
}

func num32[T ~int32](c *coder, p *T) {
	if c.write {
		c.b = binary.BigEndian.AppendUint32(c.b, uint32(*p))
		return
	}
	*p = T(binary.BigEndian.Uint32(c.take(4)))
}

func num64[T ~int64](c *coder, p *T) {
	if c.write {
		c.b = binary.BigEndian.AppendUint64(c.b, uint64(*p))
		return
	}
	*p = T(binary.BigEndian.Uint64(c.take(8)))
}

func uuid[T ~[16]byte](c *coder, p *T) {
	if c.write {
		u := [16]byte(*p)
		c.b = append(c.b, u[:]...)
		return
	}
	*p = T([16]byte(c.take(16)))
}

func (c *coder) string(p *string) {
	if n := c.length(len(*p)); c.write {
		c.b = append(c.b, *p...)
	} else {
		*p = string(c.take(max(n, 0)))
	}
}

// nullString codes a nullable string; nil is null.
func (c *coder) nullString(p **string) {
	if c.write && *p == nil {
		c.length(-1)
		return
	}
	if c.write {
		c.string(*p)
		return
	}
	n := c.length(0)
	if n < 0 {
		*p = nil
		return
	}
	s := string(c.take(n))
	*p = &s
}

// array codes a compact array; nil is null, which only nullable fields may be.
func array[T any](c *coder, p *[]T, one func(*coder, *T)) {
	n := len(*p)
	if c.write && *p == nil {
		n = -1
	}
	n = c.length(n)
	if !c.write {
		*p = nil
		if n >= 0 {
			*p = make([]T, n)
		}
	}
	for i := range *p {
		one(c, &(*p)[i])
	}
}

// list codes a compact array that is never null: nil counts as empty.
func list[T any](c *coder, p *[]T, one func(*coder, *T)) {
	if *p == nil {
		*p = []T{}
	}
	array(c, p, one)
	if *p == nil {
		*p = []T{}
		if c.err == nil {
			c.err = fmt.Errorf("metadata: null array in a field that may not be null")
		}
	}
}

// tagged is one tagged field of a record: it is written only if set.
type tagged struct {
	tag  uint32
	set  bool
	code func(*coder)
}

// tags codes the tagged fields at the end of a struct: the known ones, given in
// ascending order, and what else was read.
func (c *coder) tags(unknown *[]RawTag, known ...tagged) {
	if c.write {
		c.writeTags(*unknown, known)
		return
	}
	var n, tag, size uint64
	c.uvarint(&n)
	for ; n > 0 && c.err == nil; n-- {
		c.uvarint(&tag)
		c.uvarint(&size)
		body := coder{b: c.take(int(size)), err: c.err}
		if !body.readTag(uint32(tag), known) {
			*unknown = append(*unknown, RawTag{uint32(tag), append([]byte(nil), body.b...)})
			continue
		}
		if c.err = body.err; c.err == nil && len(body.b) > 0 {
			c.err = fmt.Errorf("metadata: %d bytes left over in tagged field %d", len(body.b), tag)
		}
	}
}

func (c *coder) readTag(tag uint32, known []tagged) bool {
	for _, k := range known {
		if k.tag == tag {
			k.code(c)
			return true
		}
	}
	return false
}

func (c *coder) writeTags(unknown []RawTag, known []tagged) {
	n := uint64(len(unknown))
	for _, k := range known {
		if k.set {
			n++
		}
	}
	c.uvarint(&n)
	for _, k := range known {
		if k.set {
			body := coder{write: true}
			k.code(&body)
			c.writeTag(k.tag, body.b)
		}
	}
	for _, u := range unknown { // their numbers are above every known one
		c.writeTag(u.Tag, u.Data)
	}
}

func (c *coder) writeTag(tag uint32, data []byte) {
	t, n := uint64(tag), uint64(len(data))
	c.uvarint(&t)
	c.uvarint(&n)
	c.b = append(c.b, data...)
}
