package metadata

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Type is the api key of a metadata record
// (metadata/src/main/resources/common/metadata).
type Type int16

// The types that Decode knows.
const (
	TypeRegisterBroker           Type = 0
	TypeUnregisterBroker         Type = 1
	TypeTopic                    Type = 2
	TypePartition                Type = 3
	TypeConfig                   Type = 4
	TypePartitionChange          Type = 5
	TypeFenceBroker              Type = 7
	TypeUnfenceBroker            Type = 8
	TypeRemoveTopic              Type = 9
	TypeFeatureLevel             Type = 12
	TypeClientQuota              Type = 14
	TypeProducerIDs              Type = 15
	TypeBrokerRegistrationChange Type = 17
	TypeNoOp                     Type = 20
	TypeZkMigration              Type = 21
	TypeBeginTransaction         Type = 23
	TypeEndTransaction           Type = 24
	TypeAbortTransaction         Type = 25
	TypeRegisterController       Type = 27
	TypeClearELR                 Type = 28
)

// Record is one record of the metadata log. Its dynamic type is a pointer to
// one of the record structs of this package. A record that was decoded or
// appended is never changed again.
type Record interface {
	// Type is the record's api key.
	Type() Type
	// Meta gives the version and the unknown tagged fields.
	Meta() *Head
	code(c *coder)
}

// Head is what every record has besides its own fields.
type Head struct {
	Version int16    // of the record's schema
	Unknown []RawTag // tagged fields that this version does not know
}

// Meta returns h itself, so that a struct which embeds it is a Record.
func (h *Head) Meta() *Head { return h }

// Entry is a record with its place in the metadata log.
type Entry struct {
	Offset kafka.Offset
	Record Record
}

// frameVersion is the version of the frame around a record: frame version, api
// key and record version as varints (server-common/.../AbstractApiMessageSerde).
const frameVersion = 1

// Encode appends the record's value as it stands in the log: frame and fields.
func Encode(dst []byte, r Record) []byte {
	c := coder{b: dst, write: true}
	v, key, ver := uint64(frameVersion), uint64(r.Type()), uint64(r.Meta().Version)
	c.uvarint(&v)
	c.uvarint(&key)
	c.uvarint(&ver)
	r.code(&c)
	return c.b
}

// Decode reads a record's value. The error says what is wrong: a frame version
// or record type that is not known, missing or left-over bytes. The record
// does not keep b.
func Decode(b []byte) (Record, error) {
	c := coder{b: b}
	var frame, key, ver uint64
	c.uvarint(&frame)
	c.uvarint(&key)
	c.uvarint(&ver)
	if c.err != nil {
		return nil, c.err
	}
	if frame != frameVersion {
		return nil, fmt.Errorf("metadata: frame version %d, want %d", frame, frameVersion)
	}
	r := newRecord(Type(key))
	if r == nil {
		return nil, fmt.Errorf("metadata: unknown record type %d", key)
	}
	if ver > uint64(maxVersion(Type(key))) {
		return nil, fmt.Errorf("metadata: record type %d version %d, newest known is %d", key, ver, maxVersion(Type(key)))
	}
	r.Meta().Version = int16(ver)
	r.code(&c)
	if c.err != nil {
		return nil, fmt.Errorf("record type %d: %w", key, c.err)
	}
	if len(c.b) > 0 {
		return nil, fmt.Errorf("metadata: record type %d: %d bytes left over", key, len(c.b))
	}
	return r, nil
}

// The versions that a Kafka 4.2 controller writes (MetadataVersion.java).
const (
	registerBrokerVersion           = 3
	partitionVersion                = 2 // 1: directories (KIP-858), 2: ELR (KIP-966)
	partitionChangeVersion          = 2
	brokerRegistrationChangeVersion = 2
)

func maxVersion(t Type) int16 {
	switch t {
	case TypeRegisterBroker:
		return registerBrokerVersion
	case TypePartition:
		return partitionVersion
	case TypePartitionChange:
		return partitionChangeVersion
	case TypeBrokerRegistrationChange:
		return brokerRegistrationChangeVersion
	}
	return 0
}

// Latest sets the record's version to the one that a 4.2 controller writes.
func Latest[R Record](r R) R {
	r.Meta().Version = maxVersion(r.Type())
	return r
}

func newRecord(t Type) Record {
	switch t {
	case TypeRegisterBroker:
		return &RegisterBrokerRecord{}
	case TypeUnregisterBroker:
		return &UnregisterBrokerRecord{}
	case TypeTopic:
		return &TopicRecord{}
	case TypePartition:
		return &PartitionRecord{}
	case TypeConfig:
		return &ConfigRecord{}
	case TypePartitionChange:
		return NewPartitionChange(kafka.TopicID{}, -1)
	case TypeFenceBroker:
		return &FenceBrokerRecord{}
	case TypeUnfenceBroker:
		return &UnfenceBrokerRecord{}
	case TypeRemoveTopic:
		return &RemoveTopicRecord{}
	case TypeFeatureLevel:
		return &FeatureLevelRecord{}
	case TypeClientQuota:
		return &ClientQuotaRecord{}
	case TypeProducerIDs:
		return &ProducerIDsRecord{}
	case TypeBrokerRegistrationChange:
		return &BrokerRegistrationChangeRecord{}
	case TypeNoOp:
		return &NoOpRecord{}
	case TypeZkMigration:
		return &ZkMigrationRecord{}
	case TypeBeginTransaction:
		return &BeginTransactionRecord{}
	case TypeEndTransaction:
		return &EndTransactionRecord{}
	case TypeAbortTransaction:
		return &AbortTransactionRecord{}
	case TypeRegisterController:
		return &RegisterControllerRecord{}
	case TypeClearELR:
		return &ClearELRRecord{}
	}
	return nil
}
