package metadata

import (
	"encoding/binary"
	"math/bits"
	"slices"
	"strings"
)

// Client quotas (KIP-13, KIP-546), for client ids. Kafka's are for users too, and
// for both together; there are no users here.

// The quotas, by Kafka's keys.
const (
	QuotaProduce = "producer_byte_rate"
	QuotaConsume = "consumer_byte_rate"
)

// QuotaClientID is the entity type of a quota of a client.
const QuotaClientID = "client-id"

// ClientQuota holds the quotas of a client.id, or of all that have none of their
// own (Client ""), in bytes per second; 0 is no quota.
type ClientQuota struct {
	Client  string
	Produce int64
	Consume int64
}

// Quota returns the quotas that a client goes by.
func (img *Image) Quota(client string) ClientQuota {
	var q ClientQuota
	for i := range img.Quotas { // a handful
		switch x := &img.Quotas[i]; x.Client {
		case "":
			q = ClientQuota{client, x.Produce, x.Consume}
		case client: // sorted: after the default
			if x.Produce > 0 {
				q.Produce = x.Produce
			}
			if x.Consume > 0 {
				q.Consume = x.Consume
			}
		}
	}
	return q
}

// ClientQuotaRecord sets a quota, or removes it.
type ClientQuotaRecord struct {
	Head
	Entity []QuotaEntity
	Key    string
	Bits   uint64 // bytes per second, as the bits of an IEEE 754 double; see QuotaBits
	Remove bool
}

// QuotaEntity is what a quota is for; a nil Name is the default.
type QuotaEntity struct {
	EntityType string
	Name       *string
	Unknown    []RawTag
}

// Type implements Record.
func (*ClientQuotaRecord) Type() Type { return TypeClientQuota }

func (r *ClientQuotaRecord) code(c *coder) {
	array(c, &r.Entity, func(c *coder, e *QuotaEntity) {
		c.string(&e.EntityType)
		c.nullString(&e.Name)
		c.tags(&e.Unknown)
	})
	c.string(&r.Key)
	c.uint64(&r.Bits)
	c.bool(&r.Remove)
	c.tags(&r.Unknown)
}

func (c *coder) uint64(p *uint64) {
	if c.write {
		c.b = binary.BigEndian.AppendUint64(c.b, *p)
		return
	}
	*p = binary.BigEndian.Uint64(c.take(8))
}

// A double: 11 bits of exponent above 52 of fraction.
const (
	doubleFraction = 52
	doubleBias     = 1023
)

// QuotaBits is a rate of 1 to 2^52 bytes per second as Kafka writes it: the bits
// of a double. 0 gives 0.
func QuotaBits(rate int64) uint64 {
	if rate <= 0 {
		return 0
	}
	e := bits.Len64(uint64(rate)) - 1
	return uint64(e+doubleBias)<<doubleFraction | uint64(rate)<<(doubleFraction-e)&^(1<<doubleFraction)
}

// QuotaRate reads a rate, without its fraction: at least 0, at most 2^52.
func QuotaRate(b uint64) int64 {
	e := int(b>>doubleFraction) - doubleBias // a sign makes it large
	switch {
	case e < 0 || b>>63 != 0:
		return 0
	case e > doubleFraction:
		return 1 << doubleFraction
	}
	return int64((b&(1<<doubleFraction-1) | 1<<doubleFraction) >> (doubleFraction - e))
}

// setQuota follows ClientQuotasDelta.replay. Quotas for users are passed over.
func (a *applier) setQuota(r *ClientQuotaRecord) {
	if len(r.Entity) != 1 || r.Entity[0].EntityType != QuotaClientID {
		return
	}
	client := ""
	if r.Entity[0].Name != nil {
		client = *r.Entity[0].Name
	}
	qs := slices.Clone(a.img.Quotas)
	i, ok := slices.BinarySearchFunc(qs, client, func(q ClientQuota, n string) int { return strings.Compare(q.Client, n) })
	if !ok {
		qs = slices.Insert(qs, i, ClientQuota{Client: client})
	}
	rate := QuotaRate(r.Bits)
	if r.Remove {
		rate = 0
	}
	switch r.Key {
	case QuotaProduce:
		qs[i].Produce = rate
	case QuotaConsume:
		qs[i].Consume = rate
	}
	if qs[i].Produce == 0 && qs[i].Consume == 0 {
		qs = slices.Delete(qs, i, i+1)
	}
	a.img.Quotas = qs
	a.delta.Quotas = true
}

// records state a client's quotas.
func (q *ClientQuota) records() (recs []Record) {
	var name *string
	if q.Client != "" {
		name = &q.Client
	}
	for _, x := range []struct {
		key  string
		rate int64
	}{{QuotaProduce, q.Produce}, {QuotaConsume, q.Consume}} {
		if x.rate > 0 {
			recs = append(recs, NewClientQuota(name, x.key, x.rate))
		}
	}
	return recs
}

// NewClientQuota makes the record that sets a quota of a client, nil for the
// default, or removes it if the rate is 0.
func NewClientQuota(client *string, key string, rate int64) *ClientQuotaRecord {
	return &ClientQuotaRecord{
		Entity: []QuotaEntity{{EntityType: QuotaClientID, Name: client}}, Key: key, Bits: QuotaBits(rate), Remove: rate == 0,
	}
}
