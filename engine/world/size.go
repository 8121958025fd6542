package world

import (
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// frameBytes is what a message without records is taken to measure: header and
// body of a small request.
const frameBytes = 100

// messageSize is a message's size on the wire, in bytes, as far as it matters
// to a link's bandwidth: the records exactly, the rest by frameBytes.
func messageSize(m sim.Message) int {
	n := frameBytes
	switch b := m.Request.(type) {
	case *kmsg.ProduceRequest:
		for i := range b.Topics {
			for j := range b.Topics[i].Partitions {
				n += len(b.Topics[i].Partitions[j].Records)
			}
		}
	}
	switch b := m.Response.(type) {
	case *kmsg.FetchResponse:
		for i := range b.Topics {
			for j := range b.Topics[i].Partitions {
				n += len(b.Topics[i].Partitions[j].RecordBatches)
			}
		}
	}
	return n
}
