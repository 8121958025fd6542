package client

import (
	"bytes"
	"strconv"

	"github.com/highwater-sim/highwater/engine/record"
)

// IdentityHeader is the key of the record header that carries the identity of a
// record whose value the user chose.
const IdentityHeader = "id"

// AppendIdentity appends the identity of a producer's record number n,
// "<producer>#<n>", and dots up to size bytes.
func AppendIdentity(dst []byte, producer string, n int64, size int) []byte {
	from := len(dst)
	dst = append(append(dst, producer...), '#')
	dst = strconv.AppendInt(dst, n, 10)
	for left := size - (len(dst) - from); left > 0; left -= len(dots) {
		dst = append(dst, dots[:min(left, len(dots))]...)
	}
	return dst
}

// dots are what short values are filled up with.
const dots = "................................................................"

// Identity reads whose record it is and its number: from the header "id" if
// there is one, else from the value. The name points into the record.
func Identity(r *record.Record) (producer []byte, n int64, ok bool) {
	for i := range r.Headers {
		if r.Headers[i].Key == IdentityHeader {
			return ParseIdentity(r.Headers[i].Value)
		}
	}
	return ParseIdentity(r.Value)
}

// ParseIdentity is the inverse of AppendIdentity.
func ParseIdentity(b []byte) (producer []byte, n int64, ok bool) {
	at := bytes.IndexByte(b, '#')
	if at < 1 {
		return nil, 0, false
	}
	digits := 0
	for _, c := range b[at+1:] {
		if c < '0' || c > '9' {
			if c != '.' || digits == 0 {
				return nil, 0, false
			}
			break // padding: what follows the first dot is not looked at
		}
		if digits++; digits > 18 {
			return nil, 0, false
		}
		n = n*10 + int64(c-'0')
	}
	return b[:at], n, digits > 0
}
