package record

import (
	"encoding/binary"
	"strconv"
)

// ControlType is the type in a control record's key
// (clients/common/record/ControlRecordType.java).
type ControlType int16

// The control types.
const (
	ControlAbort          ControlType = 0
	ControlCommit         ControlType = 1
	ControlLeaderChange   ControlType = 2 // KRaft: a leader begins its epoch
	ControlSnapshotHeader ControlType = 3
	ControlSnapshotFooter ControlType = 4
	ControlKRaftVersion   ControlType = 5 // KIP-853
	ControlKRaftVoters    ControlType = 6 // KIP-853
)

// String is the type's name as Kafka spells it.
func (t ControlType) String() string {
	names := [...]string{"ABORT", "COMMIT", "LEADER_CHANGE", "SNAPSHOT_HEADER", "SNAPSHOT_FOOTER", "KRAFT_VERSION", "KRAFT_VOTERS"}
	if t >= 0 && int(t) < len(names) {
		return names[t]
	}
	return "UNKNOWN(" + strconv.Itoa(int(t)) + ")"
}

// ControlKey makes the key of a control record: version 0 and the type.
func ControlKey(t ControlType) []byte {
	return binary.BigEndian.AppendUint16([]byte{0, 0}, uint16(t))
}

// ParseControlKey reads the key of a record in a control batch. Newer versions
// may be longer; like Kafka it takes what it knows.
func ParseControlKey(key []byte) (ControlType, error) {
	if len(key) < 4 {
		return 0, &Error{What: "control record key: bytes", Expected: 4, Found: int64(len(key))}
	}
	if v := int16(binary.BigEndian.Uint16(key)); v < 0 {
		return 0, &Error{What: "control record key: version", Expected: 0, Found: int64(v)}
	}
	return ControlType(binary.BigEndian.Uint16(key[2:])), nil
}

// Marker is what ends a transaction in a partition: a control record of type
// ABORT or COMMIT (clients/common/record/EndTransactionMarker.java).
type Marker struct {
	Commit           bool
	CoordinatorEpoch int32 // leader epoch of the coordinator's __transaction_state partition
}

// ParseMarker reads the record of a control batch as a transaction marker.
func ParseMarker(r *Record) (Marker, error) {
	t, err := ParseControlKey(r.Key)
	if err != nil {
		return Marker{}, err
	}
	if t != ControlAbort && t != ControlCommit {
		return Marker{}, &Error{What: "transaction marker: control type", Expected: int64(ControlCommit), Found: int64(t)}
	}
	if len(r.Value) < 6 {
		return Marker{}, &Error{What: "transaction marker value: bytes", Expected: 6, Found: int64(len(r.Value))}
	}
	return Marker{Commit: t == ControlCommit, CoordinatorEpoch: int32(binary.BigEndian.Uint32(r.Value[2:]))}, nil
}

// BuildMarker makes the control batch that a partition leader writes for
// WriteTxnMarkers, at a timestamp in ms.
func BuildMarker(m Marker, producerID int64, producerEpoch int16, timestamp int64) []byte {
	t := ControlAbort
	if m.Commit {
		t = ControlCommit
	}
	value := binary.BigEndian.AppendUint32([]byte{0, 0}, uint32(m.CoordinatorEpoch))
	return Build(BatchSpec{
		Transactional: true, Control: true,
		Idempotent: true, ProducerID: producerID, ProducerEpoch: producerEpoch, BaseSequence: NoSequence,
		Records: []Record{{Timestamp: timestamp, Key: ControlKey(t), Value: value}},
	})
}

// BuildControl makes a control batch of one record, as KRaft writes them; the
// value is the serialized message that belongs to the type.
func BuildControl(t ControlType, value []byte, timestamp int64) []byte {
	return Build(BatchSpec{
		Control: true,
		Records: []Record{{Timestamp: timestamp, Key: ControlKey(t), Value: value}},
	})
}
