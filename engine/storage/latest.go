package storage

import (
	"slices"
	"strings"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/record"
)

// KeyState is the latest record of a key.
type KeyState struct {
	Key    string
	Offset kafka.Offset
}

// Latest returns what a log says of each key to a reader of the offsets
// [from, to): where its latest value stands, sorted by key. Keys whose latest
// record is a tombstone are not in it, and neither are aborted records. The error
// is that of a batch which cannot be read.
func (l *Log) Latest(from, to kafka.Offset) ([]KeyState, error) {
	c := Cleaning{aborted: l.abortedTxns(len(l.closed))}
	at := map[string]int{}
	var all []KeyState
	for b := range l.Batches(max(from, l.start)) {
		if b.Header.BaseOffset >= to {
			break
		}
		if a := b.Header.Attributes; a.Control() || a.Transactional() && c.isAborted(b.Raw) {
			continue
		}
		for r, err := range record.Records(b.Raw) {
			if err != nil {
				return nil, err
			}
			if r.Key == nil || r.Offset < from || r.Offset >= to {
				continue
			}
			i, ok := at[string(r.Key)]
			if !ok {
				i = len(all)
				at[string(r.Key)] = i
				all = append(all, KeyState{Key: string(r.Key)})
			}
			if all[i].Offset = r.Offset; r.Value == nil {
				all[i].Offset = kafka.NoOffset
			}
		}
	}
	all = slices.DeleteFunc(all, func(k KeyState) bool { return k.Offset == kafka.NoOffset })
	slices.SortFunc(all, func(a, b KeyState) int { return strings.Compare(a.Key, b.Key) })
	return all, nil
}
