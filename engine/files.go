package engine

import (
	"fmt"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
)

// ReadLogFile takes a real .log or .checkpoint file apart; it needs no session.
func ReadLogFile(name string, data []byte) *view.LogFile { return view.ReadLogFile(name, data) }

// SegmentFile is the content of a file of a replica, byte for byte as Kafka has
// it on disk, by one of the names in view.Detail.Files. Of __cluster_metadata-0 it is
// a file of a controller or of a broker.
func (s *Session) SegmentFile(tp kafka.TopicPartition, broker kafka.NodeID, name string) ([]byte, error) {
	w := s.hist.World()
	if tp.Topic == kafka.TopicMetadata {
		if data, ok := view.MetadataFileBytes(w, broker, name); ok {
			return data, nil
		}
	}
	if broker >= 1 && int(broker) <= len(w.Brokers()) {
		if log := w.Brokers()[broker-1].Dir().Get(tp); log != nil {
			if data, ok := view.FileBytes(log, name); ok {
				return data, nil
			}
		}
	}
	return nil, fmt.Errorf("node %d has no file %s-%d/%s", broker, tp.Topic, tp.Partition, name)
}

// Tool is the output of a tool at the present moment, one of view.Tools(sel).
func (s *Session) Tool(sel view.Selection, name string) []string {
	s.View(view.Options{}, &s.looked)
	return view.Tool(s.hist.World(), &s.looked, sel, name)
}
