package view

import (
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/record"
	"github.com/highwater-sim/highwater/engine/sim"
	"github.com/twmb/franz-go/pkg/kmsg"
)

// describe says of a message on its way what it is and what it carries.
func describe(m *sim.Sent, img *metadata.Image, v *Flight) {
	if m.Request != nil {
		v.API = kmsg.NameForKey(m.Request.Key())
		describeRequest(m.Request, img, v)
		return
	}
	v.API, v.Response = kmsg.NameForKey(m.Response.Key()), true
	describeResponse(m.Response, img, v)
}

func describeRequest(req kmsg.Request, img *metadata.Image, v *Flight) {
	switch r := req.(type) {
	case *kmsg.ProduceRequest:
		for i := range r.Topics {
			t := &r.Topics[i]
			for j := range t.Partitions {
				v.about(img, t.Topic, t.TopicID, t.Partitions[j].Partition)
				v.carries(t.Partitions[j].Records)
			}
		}
	case *kmsg.FetchRequest:
		for i := range r.Topics {
			t := &r.Topics[i]
			for j := range t.Partitions {
				v.about(img, t.Topic, t.TopicID, t.Partitions[j].Partition)
			}
		}
	case *kmsg.VoteRequest:
		v.Say = "vote"
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				if r.Topics[i].Partitions[j].PreVote {
					v.Say = "pre-vote"
				}
			}
		}
	case *kmsg.AlterPartitionRequest:
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				v.about(img, r.Topics[i].Topic, r.Topics[i].TopicID, r.Topics[i].Partitions[j].Partition)
			}
		}
	}
}

func describeResponse(resp kmsg.Response, img *metadata.Image, v *Flight) {
	switch r := resp.(type) {
	case *kmsg.ProduceResponse:
		for i := range r.Topics {
			t := &r.Topics[i]
			for j := range t.Partitions {
				v.about(img, t.Topic, t.TopicID, t.Partitions[j].Partition)
				v.failed(t.Partitions[j].ErrorCode)
			}
		}
	case *kmsg.VoteResponse:
		v.failed(r.ErrorCode)
		v.Say = "refused"
		for i := range r.Topics {
			for j := range r.Topics[i].Partitions {
				v.failed(r.Topics[i].Partitions[j].ErrorCode)
				if r.Topics[i].Partitions[j].VoteGranted {
					v.Say = "granted"
				}
			}
		}
	case *kmsg.FetchResponse:
		v.failed(r.ErrorCode)
		for i := range r.Topics {
			t := &r.Topics[i]
			for j := range t.Partitions {
				p := &t.Partitions[j]
				if len(p.RecordBatches) > 0 || v.TP.Topic == "" {
					v.about(img, t.Topic, t.TopicID, p.Partition)
				}
				v.failed(p.ErrorCode)
				v.carries(p.RecordBatches)
			}
		}
	}
}

// about notes the first partition that a message is about.
func (v *Flight) about(img *metadata.Image, name string, id kafka.TopicID, partition int32) {
	if v.TP.Topic != "" {
		return
	}
	if name == "" {
		if t := img.TopicByID(id); t != nil {
			name = t.Name
		}
	}
	v.TP = kafka.TopicPartition{Topic: name, Partition: partition}
}

func (v *Flight) failed(code int16) {
	if v.Err == kafka.None {
		v.Err = kafka.ErrorCode(code)
	}
}

// carries counts records and bytes.
func (v *Flight) carries(b []byte) {
	v.Bytes += len(b)
	for len(b) > 0 {
		r, err := record.Frame(b)
		if err != nil {
			return
		}
		v.Records += int(r.Count())
		b = b[r.Size():]
	}
}
