package sim

import "github.com/twmb/franz-go/pkg/kmsg"

// Produce and Fetch are most of all messages. Their memory is used again when
// they have been dealt with: a request when it has been answered, a response when
// the client's step with it is over. Contents are never part of the state.
//
// Invariant: what is used again was made by this kernel since it was last cloned,
// so no other copy of the world holds it.
type reuse struct {
	fetchRequests    pool[kmsg.FetchRequest]
	fetchResponses   pool[kmsg.FetchResponse]
	produceRequests  pool[kmsg.ProduceRequest]
	produceResponses pool[kmsg.ProduceResponse]
}

// pool is messages of a type, all empty.
type pool[M any] []*M

// poolMax is how many messages of a type are kept for later.
const poolMax = 64

// get takes a message out; nil if there is none.
func (p *pool[M]) get() *M {
	n := len(*p) - 1
	if n < 0 {
		return nil
	}
	m := (*p)[n]
	*p = (*p)[:n]
	return m
}

// put takes a message in, unless there are enough.
func (p *pool[M]) put(m *M) {
	if len(*p) < poolMax {
		*p = append(*p, m)
	}
}

// roomMax is for how many partitions a message keeps room: one that began a session
// of a thousand is not to be carried about.
const roomMax = 32

// room is the memory of a list, emptied. What is behind the list is empty already.
func room[P any](list []P) []P {
	if cap(list) > roomMax {
		return nil
	}
	clear(list)
	return list[:0]
}

// NewFetchRequest returns an empty request. Its Topics and the Partitions of the
// first of them may have room.
func (o *Out) NewFetchRequest() *kmsg.FetchRequest {
	if m := o.reuse.fetchRequests.get(); m != nil {
		return m
	}
	m := &struct {
		kmsg.FetchRequest
		topics [1]kmsg.FetchRequestTopic
		parts  [2]kmsg.FetchRequestTopicPartition
	}{}
	m.topics[0].Partitions = m.parts[:0]
	m.Topics = m.topics[:0]
	return &m.FetchRequest
}

// NewFetchResponse returns an empty response. Its Topics and the Partitions of the
// first of them may have room.
func (o *Out) NewFetchResponse() *kmsg.FetchResponse {
	if m := o.reuse.fetchResponses.get(); m != nil {
		return m
	}
	m := &struct {
		kmsg.FetchResponse
		topics [1]kmsg.FetchResponseTopic
		parts  [2]kmsg.FetchResponseTopicPartition
	}{}
	m.topics[0].Partitions = m.parts[:0]
	m.Topics = m.topics[:0]
	return &m.FetchResponse
}

// NewProduceRequest returns an empty request. Its Topics and the Partitions of the
// first of them may have room.
func (o *Out) NewProduceRequest() *kmsg.ProduceRequest {
	if m := o.reuse.produceRequests.get(); m != nil {
		return m
	}
	m := &struct {
		kmsg.ProduceRequest
		topics [1]kmsg.ProduceRequestTopic
		parts  [4]kmsg.ProduceRequestTopicPartition
	}{}
	m.topics[0].Partitions = m.parts[:0]
	m.Topics = m.topics[:0]
	return &m.ProduceRequest
}

// NewProduceResponse returns an empty response. Its Topics and the Partitions of the
// first of them may have room.
func (o *Out) NewProduceResponse() *kmsg.ProduceResponse {
	if m := o.reuse.produceResponses.get(); m != nil {
		return m
	}
	m := &struct {
		kmsg.ProduceResponse
		topics [1]kmsg.ProduceResponseTopic
		parts  [4]kmsg.ProduceResponseTopicPartition
	}{}
	m.topics[0].Partitions = m.parts[:0]
	m.Topics = m.topics[:0]
	return &m.ProduceResponse
}

// Keep says that the machine keeps the response of this step after it, so that
// its memory is not used again.
func (o *Out) Keep() { o.kept = true }

// request takes back a request that has been answered.
func (u *reuse) request(r kmsg.Request) {
	switch r := r.(type) {
	case *kmsg.FetchRequest:
		topics := r.Topics[:min(1, cap(r.Topics))]
		for i := range topics {
			topics[i] = kmsg.FetchRequestTopic{Partitions: room(topics[i].Partitions)}
		}
		*r = kmsg.FetchRequest{Topics: topics[:0:len(topics)]}
		u.fetchRequests.put(r)
	case *kmsg.ProduceRequest:
		topics := r.Topics[:min(1, cap(r.Topics))]
		for i := range topics {
			topics[i] = kmsg.ProduceRequestTopic{Partitions: room(topics[i].Partitions)}
		}
		*r = kmsg.ProduceRequest{Topics: topics[:0:len(topics)]}
		u.produceRequests.put(r)
	}
}

// response takes back a response that has been heard.
func (u *reuse) response(r kmsg.Response) {
	switch r := r.(type) {
	case *kmsg.FetchResponse:
		topics := r.Topics[:min(1, cap(r.Topics))]
		for i := range topics {
			topics[i] = kmsg.FetchResponseTopic{Partitions: room(topics[i].Partitions)}
		}
		*r = kmsg.FetchResponse{Topics: topics[:0:len(topics)]}
		u.fetchResponses.put(r)
	case *kmsg.ProduceResponse:
		topics := r.Topics[:min(1, cap(r.Topics))]
		for i := range topics {
			topics[i] = kmsg.ProduceResponseTopic{Partitions: room(topics[i].Partitions)}
		}
		*r = kmsg.ProduceResponse{Topics: topics[:0:len(topics)]}
		u.produceResponses.put(r)
	}
}
