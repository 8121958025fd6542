package metadata

import "strings"

// Caller is who sent a request. Kafka forwards a client's request to the controller
// in an envelope that says so (KIP-590); here it stands in a tagged field of the
// request itself.
type Caller struct {
	User   string // principal, without its type
	Client string // client.id
}

// CallerTag is the number of that field, which Kafka does not use.
const CallerTag uint32 = 9001

// Bytes is the field's value.
func (c Caller) Bytes() []byte { return []byte(c.User + "\x00" + c.Client) }

// CallerFrom reads the field's value.
func CallerFrom(b []byte) Caller {
	user, client, _ := strings.Cut(string(b), "\x00")
	return Caller{user, client}
}
