package broker

import (
	"github.com/twmb/franz-go/pkg/kmsg"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// What a leader checks of a batch before it appends it
// (ProduceRequest.validateRecords, UnifiedLog.analyzeAndValidateRecords,
// LogValidator.java).

// recordError is a record that made its whole batch be refused (KIP-467).
type recordError struct {
	index int32 // within the batch
	text  string
}

// recordErrorsMax is how many of them a response names at most. Kafka names all.
const recordErrorsMax = 100

// validate checks what a client sent for one partition. bad names the records
// that INVALID_RECORD or INVALID_TIMESTAMP is about, if it is about records.
func validate(now kafka.Instant, tp kafka.TopicPartition, set *topicSettings, records []byte) (h record.Header, bad []recordError, code kafka.ErrorCode) {
	r, err := record.Frame(records)
	if err != nil {
		return record.Header{}, nil, kafka.CorruptMessage
	}
	h = r.Header()
	switch {
	case len(r) != len(records), h.BaseOffset != 0: // exactly one batch since message format v2; offsets are ours to give
		return h, nil, kafka.InvalidRecord
	case int64(len(r)) > set.maxMessage:
		return h, nil, kafka.MessageTooLarge
	case record.VerifyCRC(r) != nil:
		return h, nil, kafka.CorruptMessage
	case h.Count != h.LastOffsetDelta+1 || h.Count <= 0 || h.Attributes.Control() || h.HasProducer() && h.BaseSequence < 0:
		return h, nil, kafka.InvalidRecord
	case h.Attributes.Transactional():
		return h, nil, kafka.InvalidTxnState
	}
	ms := now.UnixMilli()
	late := !set.log.LogAppendTime && h.MaxTimestamp-ms > set.after
	early := !set.log.LogAppendTime && set.before < ms // else no timestamp is too early
	if set.log.Compact || late || early {
		bad, code = validateRecords(ms, tp, set, r)
	}
	return h, bad, code
}

// validateRecords checks keys and timestamps record by record. A batch that this
// program cannot unpack is let through, as a broker without the codec could not.
func validateRecords(ms int64, tp kafka.TopicPartition, set *topicSettings, r record.Raw) (bad []recordError, code kafka.ErrorCode) {
	it, err := record.NewIterator(r)
	if err != nil {
		if record.HasCodec(r.Attributes().Codec()) {
			return nil, kafka.CorruptMessage
		}
		return nil, kafka.None
	}
	var rec record.Record
	for i := int32(0); it.Next(&rec); i++ {
		text := ""
		switch {
		case set.log.Compact && rec.Key == nil:
			text = "Compacted topic cannot accept message without key in topic partition " + tp.String() + "."
			if code == kafka.None {
				code = kafka.InvalidRecord
			}
		case !set.log.LogAppendTime && rec.Timestamp != record.NoTimestamp && (rec.Timestamp-ms > set.after || ms-rec.Timestamp > set.before):
			text = "Timestamp " + itoa(rec.Timestamp) + " of message with offset " + itoa(int64(i)) + " is out of range. The timestamp should be within [" +
				itoa(max(0, ms-min(set.before, ms))) + ", " + itoa(ms+min(set.after, 1<<62-ms)) + "]"
			code = kafka.InvalidTimestamp
		}
		if text != "" && len(bad) < recordErrorsMax {
			bad = append(bad, recordError{i, text})
		}
	}
	if it.Err() != nil {
		return nil, kafka.InvalidRecord
	}
	return bad, code
}

// tellRecords puts the bad records into a response (from version 8 on).
func tellRecords(part *kmsg.ProduceResponseTopicPartition, r *produceResult) {
	if len(r.bad) == 0 {
		return
	}
	for i := range r.bad {
		part.ErrorRecords = append(part.ErrorRecords, kmsg.ProduceResponseTopicPartitionErrorRecord{
			RelativeOffset: r.bad[i].index, ErrorMessage: &r.bad[i].text,
		})
	}
	text := "One or more records have been rejected due to " + itoa(int64(len(r.bad))) + " record errors in total"
	if r.code == kafka.InvalidTimestamp {
		text = "One or more records have been rejected due to invalid timestamp"
	}
	part.ErrorMessage = &text
}

// recompress gives a batch the codec of compression.type, unless that is
// producer; the result may be too large again.
func recompress(set *topicSettings, records []byte) ([]byte, kafka.ErrorCode) {
	r := record.Raw(records)
	if set.keepCodec || r.Attributes().Codec() == set.codec {
		return records, kafka.None
	}
	if !record.HasCodec(set.codec) || !record.HasCodec(r.Attributes().Codec()) {
		return records, kafka.UnsupportedCompressionType
	}
	r, err := record.Recompressed(r, set.codec)
	switch {
	case err != nil:
		return records, kafka.CorruptMessage
	case int64(len(r)) > set.maxMessage:
		return records, kafka.MessageTooLarge
	}
	return r, kafka.None
}
