package record

// What the log cleaner writes (MemoryRecords.filterTo, buildRetainedRecordsInto).

// AppendRetained appends a batch with only some of its records to dst. First and
// last offset, producer, sequence, leader epoch and flags stay those of r; the
// maximum timestamp is that of the records left. With a delete horizon, in ms,
// the batch's base timestamp holds it (KIP-534); NoTimestamp sets none. keep are
// records of r, at least one, in order. A compressed batch is packed again with
// its codec, which must be available.
func AppendRetained(dst []byte, r Raw, keep []Record, horizon int64) []byte {
	h := r.Header()
	h.Attributes &^= DeleteHorizonFlag
	h.BaseTimestamp = keep[0].Timestamp
	if horizon > NoTimestamp {
		h.Attributes |= DeleteHorizonFlag
		h.BaseTimestamp = horizon
	}
	if !h.Attributes.LogAppendTime() {
		h.MaxTimestamp = keep[0].Timestamp
		for i := range keep {
			h.MaxTimestamp = max(h.MaxTimestamp, keep[i].Timestamp)
		}
	}
	h.Count = int32(len(keep))
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	for i := range keep {
		k := &keep[i]
		dst = appendRecord(dst, k.Attributes, k.OffsetDelta, k.Timestamp-h.BaseTimestamp, k.Key, k.Value, k.Headers)
	}
	if c := h.Attributes.Codec(); c != CodecNone {
		plain := dst[start+HeaderSize:]
		dst = compressors[c].Compress(dst[:start+HeaderSize:start+HeaderSize], plain)
	}
	seal(&h, dst[start:])
	return dst
}

// AppendEmpty appends a batch without records that stands for r: the cleaner
// leaves it where a producer's sequence, or the end of what was cleaned, would
// be forgotten otherwise (DefaultRecordBatch.writeEmptyHeader).
func AppendEmpty(dst []byte, r Raw) []byte {
	h := r.Header()
	h.Attributes &^= DeleteHorizonFlag | codecMask
	h.BaseTimestamp, h.Count = NoTimestamp, 0
	start := len(dst)
	dst = append(dst, make([]byte, HeaderSize)...)
	seal(&h, dst[start:])
	return dst
}

// Recompressed returns the batch with another codec, and the batch itself if it
// has that already (LogValidator.buildRecordsAndAssignOffsets). The codec must
// be available; the error is that of a batch which cannot be unpacked.
func Recompressed(r Raw, c Codec) (Raw, error) {
	if r.Attributes().Codec() == c {
		return r, nil
	}
	plain, err := recordBytes(r)
	if err != nil {
		return nil, err
	}
	h := r.Header()
	h.Attributes = h.Attributes&^codecMask | Attributes(c)
	out := make([]byte, HeaderSize, HeaderSize+len(plain))
	if c == CodecNone {
		out = append(out, plain...)
	} else {
		out = compressors[c].Compress(out, plain)
	}
	seal(&h, out)
	return out, nil
}
