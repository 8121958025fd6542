package view

import (
	"reflect"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/metadata"
)

// Metadata records in the words of kafka-dump-log --cluster-metadata-decoder:
// the names of types and fields are those of Kafka's schemas
// (metadata/src/main/resources/common/metadata/*.json).

// MetadataType is a record's type as MetadataRecordType prints it:
// TOPIC_RECORD, PARTITION_CHANGE_RECORD...
func MetadataType(r metadata.Record) string {
	name := reflect.TypeOf(r).Elem().Name()
	switch r.(type) { // where our name has capitals together, or is shorter
	case *metadata.ProducerIDsRecord:
		return "PRODUCER_IDS_RECORD"
	case *metadata.ClearELRRecord:
		return "CLEAR_ELR_RECORD"
	case *metadata.ZkMigrationRecord:
		return "ZK_MIGRATION_STATE_RECORD"
	}
	var b strings.Builder
	for i, c := range name {
		if i > 0 && c >= 'A' && c <= 'Z' {
			b.WriteByte('_')
		}
		b.WriteRune(c)
	}
	return strings.ToUpper(b.String())
}

// MetadataJSON is a record as the tool prints its payload.
func MetadataJSON(r metadata.Record) string {
	return `{"type":"` + MetadataType(r) + `","version":` + strconv.Itoa(int(r.Meta().Version)) + `,"data":` + metadataFields(r) + "}"
}

// schemaNames are fields whose name in the schema is not ours with a small first
// letter: by "Type.Field", or by field for all types.
var schemaNames = map[string]string{
	"TopicRecord.ID": "topicId", "RemoveTopicRecord.ID": "topicId", "ID": "id",
	"PartitionRecord.Partition": "partitionId", "PartitionChangeRecord.Partition": "partitionId",
	"ISR": "isr", "Removing": "removingReplicas", "Adding": "addingReplicas", "RecoveryState": "leaderRecoveryState",
	"ELR": "eligibleLeaderReplicas", "LastKnownELR": "lastKnownElr", "TopicID": "topicId",
	"BrokerID": "brokerId", "ControllerID": "controllerId", "IncarnationID": "incarnationId", "Endpoints": "endPoints",
	"Min": "minSupportedVersion", "Max": "maxSupportedVersion", "Level": "featureLevel", "NextProducerID": "nextProducerId",
	"ZkMigrationRecord.State": "zkMigrationState", "ClearELRRecord.Topic": "topicName",
}

// leftOut are tagged fields, which are not printed at their default.
var leftOut = map[string]int64{
	"PartitionRecord.RecoveryState": 0, "PartitionRecord.ELR": 0, "PartitionRecord.LastKnownELR": 0,
	"PartitionChangeRecord.ISR": 0, "PartitionChangeRecord.Leader": int64(metadata.NoLeaderChange), "PartitionChangeRecord.Replicas": 0,
	"PartitionChangeRecord.Removing": 0, "PartitionChangeRecord.Adding": 0,
	"PartitionChangeRecord.RecoveryState": int64(metadata.NoRecoveryStateChange),
	"PartitionChangeRecord.ELR":           0, "PartitionChangeRecord.LastKnownELR": 0, "PartitionChangeRecord.Directories": 0,
	"RegisterBrokerRecord.LogDirs": 0, "BrokerRegistrationChangeRecord.Fenced": 0,
	"BrokerRegistrationChangeRecord.InControlledShutdown": 0, "BrokerRegistrationChangeRecord.LogDirs": 0,
	"BeginTransactionRecord.Name": 0, "AbortTransactionRecord.Reason": 0,
}

// sinceVersion are fields that older versions of a record do not have.
var sinceVersion = map[string]int16{
	"RegisterBrokerRecord.IsMigratingZkBroker": 2, "RegisterBrokerRecord.InControlledShutdown": 1, "PartitionRecord.Directories": 1,
}

// metadataFields is a record's fields as JSON, in the order of the schema.
func metadataFields(r metadata.Record) string {
	var b strings.Builder
	writeFields(&b, reflect.ValueOf(r).Elem(), r.Meta().Version)
	return b.String()
}

func writeFields(b *strings.Builder, v reflect.Value, version int16) {
	t := v.Type()
	sep := "{"
	for i := range t.NumField() {
		name := t.Field(i).Name
		if name == "Head" || name == "Unknown" {
			continue
		}
		full, f := t.Name()+"."+name, v.Field(i)
		if since := sinceVersion[full]; version < since {
			continue
		}
		if at, tagged := leftOut[full]; tagged && isDefault(f, at) {
			continue
		}
		b.WriteString(sep + `"` + schemaName(full, name) + `":`)
		writeValue(b, f, version)
		sep = ","
	}
	if sep == "{" {
		b.WriteByte('{')
	}
	b.WriteByte('}')
}

func schemaName(full, name string) string {
	if s := schemaNames[full]; s != "" {
		return s
	}
	if s := schemaNames[name]; s != "" {
		return s
	}
	return strings.ToLower(name[:1]) + name[1:]
}

func isDefault(f reflect.Value, at int64) bool {
	if f.CanInt() {
		return f.Int() == at
	}
	return f.IsZero()
}

func writeValue(b *strings.Builder, f reflect.Value, version int16) {
	switch {
	case f.CanInt():
		b.WriteString(strconv.FormatInt(f.Int(), 10))
	case f.CanUint():
		b.WriteString(strconv.FormatUint(f.Uint(), 10))
	case f.Kind() == reflect.Bool:
		b.WriteString(strconv.FormatBool(f.Bool()))
	case f.Kind() == reflect.String:
		b.WriteString(strconv.Quote(f.String()))
	case f.Kind() == reflect.Pointer && f.IsNil():
		b.WriteString("null")
	case f.Kind() == reflect.Pointer:
		writeValue(b, f.Elem(), version)
	case f.Kind() == reflect.Array: // a UUID
		var id [16]byte
		reflect.Copy(reflect.ValueOf(&id).Elem(), f)
		b.WriteString(`"` + uuidText(id) + `"`)
	case f.Kind() == reflect.Struct:
		writeFields(b, f, version)
	case f.Kind() == reflect.Slice:
		b.WriteByte('[')
		for k := range f.Len() {
			if k > 0 {
				b.WriteByte(',')
			}
			writeValue(b, f.Index(k), version)
		}
		b.WriteByte(']')
	}
}
