package view_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/metadata"
	"github.com/highwater-sim/highwater/engine/view"
)

// Metadata records print as kafka-dump-log --cluster-metadata-decoder prints them.
func TestMetadataJSON(t *testing.T) {
	id := kafka.TopicID{15: 1}
	rack := "a"
	change := metadata.NewPartitionChange(id, 3)
	change.ISR = []kafka.NodeID{1, 2}
	for want, r := range map[string]metadata.Record{
		`{"type":"TOPIC_RECORD","version":0,"data":{"name":"pay","topicId":"AAAAAAAAAAAAAAAAAAAAAQ"}}`:                           &metadata.TopicRecord{Name: "pay", ID: id},
		`{"type":"PARTITION_CHANGE_RECORD","version":2,"data":{"partitionId":3,"topicId":"AAAAAAAAAAAAAAAAAAAAAQ","isr":[1,2]}}`: change,
		`{"type":"NO_OP_RECORD","version":0,"data":{}}`:                                                                          &metadata.NoOpRecord{},
		`{"type":"CONFIG_RECORD","version":0,"data":{"resourceType":2,"resourceName":"pay","name":"retention.ms","value":null}}`: &metadata.ConfigRecord{ResourceType: 2, ResourceName: "pay", Name: "retention.ms"},
		`{"type":"REGISTER_BROKER_RECORD","version":0,"data":{"brokerId":1,"incarnationId":"AAAAAAAAAAAAAAAAAAAAAA","brokerEpoch":7,"endPoints":[{"name":"P","host":"h","port":9092,"securityProtocol":0}],"features":[{"name":"f","minSupportedVersion":1,"maxSupportedVersion":2}],"rack":"a","fenced":true}}`: &metadata.RegisterBrokerRecord{
			BrokerID: 1, BrokerEpoch: 7, Rack: &rack, Fenced: true,
			Endpoints: []metadata.Endpoint{{Name: "P", Host: "h", Port: 9092}}, Features: []metadata.SupportedFeature{{Name: "f", Min: 1, Max: 2}}},
		`{"type":"PARTITION_RECORD","version":0,"data":{"partitionId":1,"topicId":"AAAAAAAAAAAAAAAAAAAAAQ","replicas":[2],"isr":[2],"removingReplicas":[],"addingReplicas":[],"leader":2,"leaderEpoch":4,"partitionEpoch":5}}`: &metadata.PartitionRecord{
			Partition: 1, TopicID: id, Replicas: []kafka.NodeID{2}, ISR: []kafka.NodeID{2}, Leader: 2, LeaderEpoch: 4, PartitionEpoch: 5},
	} {
		if got := view.MetadataJSON(r); got != want {
			t.Errorf("\n got %s\nwant %s", got, want)
		}
	}
}
