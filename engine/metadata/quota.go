package metadata

import (
	"cmp"
	"encoding/binary"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// Client quotas (KIP-13, KIP-55, KIP-124, KIP-546, KIP-599): for users, for
// client ids, and for a client id of a user; by name, or for all that have none
// of their own.

// The quotas, by Kafka's keys (server/config/QuotaConfig.java).
const (
	QuotaProduce  = "producer_byte_rate"
	QuotaConsume  = "consumer_byte_rate"
	QuotaRequest  = "request_percentage"
	QuotaMutation = "controller_mutation_rate"
)

// The entity types of quotas.
const (
	QuotaUser     = "user"
	QuotaClientID = "client-id"
)

// QuotaKind is one of the four quotas.
type QuotaKind uint8

// The kinds, in the order in which they are listed.
const (
	ProduceRate  QuotaKind = iota // bytes per second
	ConsumeRate                   // bytes per second
	RequestShare                  // millionths of a percent of one thread's time
	MutationRate                  // millionths of a partition per second
	QuotaKinds
)

var quotaKeys = [QuotaKinds]string{QuotaProduce, QuotaConsume, QuotaRequest, QuotaMutation}

// QuotaKindOf finds the kind of a key.
func QuotaKindOf(key string) (QuotaKind, bool) {
	i := slices.Index(quotaKeys[:], key)
	return QuotaKind(max(i, 0)), i >= 0
}

// Key is Kafka's key of the kind.
func (k QuotaKind) Key() string { return quotaKeys[k] }

// Bytes reports whether the kind counts bytes, which are whole; the others are
// kept in millionths.
func (k QuotaKind) Bytes() bool { return k <= ConsumeRate }

// Bits is a limit of the kind as Kafka writes it.
func (k QuotaKind) Bits(limit int64) uint64 {
	if k.Bytes() {
		return QuotaBits(limit)
	}
	return microBits(limit)
}

// Limit reads what Bits wrote, or another double.
func (k QuotaKind) Limit(b uint64) int64 {
	if k.Bytes() {
		return QuotaRate(b)
	}
	return quotaMicros(b)
}

// QuotaPart is a user or a client id in the entity of a quota.
type QuotaPart struct {
	Set  bool   // the entity has this part
	Name string // "": the default, of all that have none of their own
}

// PartOf makes a part from a name, "" for the default.
func PartOf(name string) QuotaPart { return QuotaPart{true, name} }

// ClientQuota holds the quotas of an entity, by kind; 0 is none.
type ClientQuota struct {
	User, Client QuotaPart
	Limits       [QuotaKinds]int64
}

func (q *ClientQuota) compare(user, client QuotaPart) int {
	return cmp.Or(q.User.compare(user), q.Client.compare(client))
}

func (p QuotaPart) compare(o QuotaPart) int {
	switch {
	case p.Set == o.Set:
		return strings.Compare(p.Name, o.Name)
	case o.Set:
		return -1
	}
	return 1
}

// QuotaLimit is what a client goes by, and with whom it shares that.
type QuotaLimit struct {
	Limit int64 // 0: no quota
	// User and Client name who is measured together: "" for a part stands for all
	// users of the client id, or for all client ids of the user.
	User, Client string
}

// The levels of precedence, from the strongest on. The order is Kafka's
// (ClientQuotaManager.DefaultQuotaCallback.quotaMetricTags):
//
//	1 user u, client-id c    2 user u, client-id <default>    3 user u
//	4 user <default>, c      5 user <default>, <default>      6 user <default>
//	7 client-id c            8 client-id <default>
const noLevel = 9

// level says how strong the quota's claim on a client is.
func (q *ClientQuota) level(user, client string) int {
	part := func(p QuotaPart, name string) int { // 0 by name, 1 default, 2 not in it, 9 another
		switch {
		case !p.Set:
			return 2
		case p.Name == "":
			return 1
		case p.Name == name:
			return 0
		}
		return noLevel
	}
	u, c := part(q.User, user), part(q.Client, client)
	if u == noLevel || c == noLevel {
		return noLevel
	}
	return min(u*3+c+1, noLevel)
}

// Quota returns the quota of a kind that a user's client goes by.
func (img *Image) Quota(kind QuotaKind, user, client string) QuotaLimit {
	best, at := noLevel, -1
	for i := range img.Quotas { // a handful
		if q := &img.Quotas[i]; q.Limits[kind] > 0 {
			if l := q.level(user, client); l < best {
				best, at = l, i
			}
		}
	}
	if at < 0 {
		return QuotaLimit{}
	}
	q := &img.Quotas[at]
	l := QuotaLimit{Limit: q.Limits[kind]}
	if q.User.Set {
		l.User = user
	}
	if q.Client.Set {
		l.Client = client
	}
	return l
}

// ClientQuotaRecord sets a quota, or removes it.
type ClientQuotaRecord struct {
	Head
	Entity []QuotaEntity
	Key    string
	Bits   uint64 // the limit, as the bits of an IEEE 754 double; see QuotaKind.Bits
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

// micro is what a limit that is kept in millionths is divided by.
const micro = 1_000_000

// microBits is the double next to n millionths, for n from 1 to 2^52. 0 gives 0.
func microBits(n int64) uint64 {
	if n <= 0 {
		return 0
	}
	shift := 71 - bits.Len64(uint64(n))
	for {
		hi, lo := shifted(uint64(n), shift)
		q, rem := bits.Div64(hi, lo, micro)
		if q < 1<<doubleFraction {
			shift++
			continue
		}
		if rem*2 > micro || rem*2 == micro && q&1 == 1 {
			q++ // to 2^53 at most, whose fraction is 0
		}
		return uint64(doubleFraction-shift+doubleBias)<<doubleFraction + q - 1<<doubleFraction
	}
}

// shifted is n * 2^by in 128 bits, by from 0 to 127.
func shifted(n uint64, by int) (hi, lo uint64) {
	if by >= 64 {
		return n << (by - 64), 0
	}
	return n >> (64 - by), n << by
}

// quotaMicros reads a double in millionths, rounded: at least 1 if it is
// positive, at most 2^52.
func quotaMicros(b uint64) int64 {
	e := int(b>>doubleFraction) - doubleBias
	hi, lo := bits.Mul64(b&(1<<doubleFraction-1)|1<<doubleFraction, micro)
	switch down := doubleFraction - e; {
	case b == 0 || b>>63 != 0:
		return 0
	case down <= 20:
		return 1 << doubleFraction
	case down > 80:
		return 1
	default:
		lo, carry := bits.Add64(lo, half(down), 0)
		hi += carry + halfHigh(down)
		if down >= 64 {
			lo = hi >> (down - 64)
		} else {
			lo = lo>>down | hi<<(64-down)
		}
		return int64(min(max(lo, 1), 1<<doubleFraction))
	}
}

// half and halfHigh are 2^(down-1) in 128 bits.
func half(down int) uint64 {
	if down > 64 {
		return 0
	}
	return 1 << (down - 1)
}

func halfHigh(down int) uint64 {
	if down <= 64 {
		return 0
	}
	return 1 << (down - 65)
}

// quotaEntity reads the entity of a record; ok is false for one that is for
// neither users nor client ids.
func quotaEntity(parts []QuotaEntity) (user, client QuotaPart, ok bool) {
	for _, e := range parts {
		p := QuotaPart{Set: true}
		if e.Name != nil {
			p.Name = *e.Name
		}
		switch e.EntityType {
		case QuotaUser:
			user = p
		case QuotaClientID:
			client = p
		default:
			return user, client, false
		}
	}
	return user, client, len(parts) > 0
}

// setQuota follows ClientQuotasDelta.replay. Quotas for IP addresses are passed
// over.
func (a *applier) setQuota(r *ClientQuotaRecord) {
	user, client, ok := quotaEntity(r.Entity)
	kind, known := QuotaKindOf(r.Key)
	if !ok || !known {
		return
	}
	qs := slices.Clone(a.img.Quotas)
	i, ok := slices.BinarySearchFunc(qs, user, func(q ClientQuota, u QuotaPart) int { return q.compare(u, client) })
	if !ok {
		qs = slices.Insert(qs, i, ClientQuota{User: user, Client: client})
	}
	if qs[i].Limits[kind] = kind.Limit(r.Bits); r.Remove {
		qs[i].Limits[kind] = 0
	}
	if qs[i].Limits == ([QuotaKinds]int64{}) {
		qs = slices.Delete(qs, i, i+1)
	}
	a.img.Quotas = qs
	a.delta.Quotas = true
}

// records state an entity's quotas.
func (q *ClientQuota) records() (recs []Record) {
	for k, limit := range q.Limits {
		if limit > 0 {
			recs = append(recs, NewClientQuota(q.User, q.Client, QuotaKind(k), limit))
		}
	}
	return recs
}

// NewClientQuota makes the record that sets a quota of an entity, or removes it if
// the limit is 0.
func NewClientQuota(user, client QuotaPart, kind QuotaKind, limit int64) *ClientQuotaRecord {
	r := &ClientQuotaRecord{Key: kind.Key(), Bits: kind.Bits(limit), Remove: limit == 0}
	for _, p := range []struct {
		of   string
		part QuotaPart
	}{{QuotaUser, user}, {QuotaClientID, client}} {
		if p.part.Set {
			r.Entity = append(r.Entity, QuotaEntity{EntityType: p.of, Name: p.part.name()})
		}
	}
	return r
}

func (p QuotaPart) name() *string {
	if p.Name == "" {
		return nil
	}
	return &p.Name
}

// Describe names an entity as kafka-configs does: user-principal 'alice', the
// default client-id (ConfigCommand.describeClientQuotaAndUserScramCredentialConfigs).
func (q *ClientQuota) Describe() string {
	var parts []string
	for _, p := range []struct {
		of   string
		part QuotaPart
	}{{"user-principal", q.User}, {"client-id", q.Client}} {
		switch {
		case !p.part.Set:
		case p.part.Name == "":
			parts = append(parts, "the default "+p.of)
		default:
			parts = append(parts, p.of+" '"+p.part.Name+"'")
		}
	}
	return strings.Join(parts, ", ")
}

// Text prints a limit of the kind as a decimal number.
func (k QuotaKind) Text(limit int64) string {
	if k.Bytes() {
		return strconv.FormatInt(limit, 10)
	}
	s := strconv.FormatInt(limit/micro, 10)
	if f := limit % micro; f != 0 {
		s += "." + strings.TrimRight(strconv.FormatInt(micro+f, 10)[1:], "0")
	}
	return s
}
