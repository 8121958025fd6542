// Package kafka is the vocabulary that every other package speaks: virtual
// time, ids, offsets, epochs, error codes and the config table.
//
// It owns names and units and nothing that acts. It refuses behaviour: no
// machine, no I/O, no formatting for a screen beyond a stable String.
//
//	Instant, Duration   virtual nanoseconds; Instant 0 is the scenario's start
//	NodeID              node.id of a broker or controller process
//	TopicPartition      a topic's name and a partition's index
//	Offset              place of a record in a partition log
//	LeaderEpoch         counts the leaderships of a partition
//	ErrorCode           Kafka's own error numbers and names
//	Config              one row of the config table
package kafka
