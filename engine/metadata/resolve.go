package metadata

import (
	"slices"

	"github.com/highwater-sim/highwater/engine/kafka"
)

// Source says where the effective value of a config comes from, with the
// numbers of Kafka's DescribeConfigs (DescribeConfigsResponse.ConfigSource).
type Source int8

// The sources, the strongest first.
const (
	DynamicTopic         Source = 1
	DynamicBroker        Source = 2
	DynamicDefaultBroker Source = 3
	StaticBroker         Source = 4
	DefaultConfig        Source = 5
)

// String is Kafka's name: "DYNAMIC_TOPIC_CONFIG".
func (s Source) String() string {
	switch s {
	case DynamicTopic:
		return "DYNAMIC_TOPIC_CONFIG"
	case DynamicBroker:
		return "DYNAMIC_BROKER_CONFIG"
	case DynamicDefaultBroker:
		return "DYNAMIC_DEFAULT_BROKER_CONFIG"
	case StaticBroker:
		return "STATIC_BROKER_CONFIG"
	case DefaultConfig:
		return "DEFAULT_CONFIG"
	}
	return "UNKNOWN"
}

// Static is what stands in a node's server.properties, sorted by name.
type Static []ConfigValue

// NewStatic sorts values by name; of two with the same name the later one wins,
// as in a properties file.
func NewStatic(values []ConfigValue) Static {
	var s Static
	for _, v := range values {
		i, ok := slices.BinarySearchFunc(s, v.Name, compareValue)
		if ok {
			s[i].Value = v.Value
		} else {
			s = slices.Insert(s, i, v)
		}
	}
	return s
}

// Get returns the value of a name.
func (s Static) Get(name string) (string, bool) {
	i, ok := slices.BinarySearchFunc(s, name, compareValue)
	if !ok {
		return "", false
	}
	return s[i].Value, true
}

// Resolve returns the effective value of a topic config on a broker: the
// topic's own, else that of the broker config which stands behind it
// (kafka.Config.Synonym). A name that is not a topic config panics.
func (img *Image) Resolve(topic string, broker kafka.NodeID, static Static, name string) (string, Source) {
	c := kafka.LookupConfig(kafka.ScopeTopic, name)
	if c == nil {
		panic("metadata: " + name + " is not a topic config")
	}
	if v, ok := img.Config(ResourceTopic, topic, name); ok {
		return v, DynamicTopic
	}
	if c.Synonym == "" {
		return c.Default, DefaultConfig
	}
	return img.ResolveBroker(broker, static, c.Synonym)
}

// ResolveBroker returns the effective value of a broker config: the broker's
// own dynamic one, the cluster-wide dynamic default, server.properties, the
// default. A name that is not a broker config panics.
func (img *Image) ResolveBroker(broker kafka.NodeID, static Static, name string) (string, Source) {
	c := kafka.LookupConfig(kafka.ScopeBroker, name)
	if c == nil {
		panic("metadata: " + name + " is not a broker config")
	}
	if c.Dynamic != kafka.ReadOnly {
		if v, ok := img.Config(ResourceBroker, BrokerResource(broker), name); ok {
			return v, DynamicBroker
		}
		if v, ok := img.Config(ResourceBroker, "", name); ok {
			return v, DynamicDefaultBroker
		}
	}
	if v, ok := static.Get(name); ok {
		return v, StaticBroker
	}
	return c.Default, DefaultConfig
}

// TopicInt resolves a topic config that is a number.
func (img *Image) TopicInt(topic string, broker kafka.NodeID, static Static, name string) int64 {
	s, _ := img.Resolve(topic, broker, static, name)
	return parsed(kafka.ScopeTopic, name, s).Int
}

// TopicBool resolves a topic config that is true or false.
func (img *Image) TopicBool(topic string, broker kafka.NodeID, static Static, name string) bool {
	s, _ := img.Resolve(topic, broker, static, name)
	return parsed(kafka.ScopeTopic, name, s).Bool
}

// TopicText resolves a topic config that is a text or an enum.
func (img *Image) TopicText(topic string, broker kafka.NodeID, static Static, name string) string {
	s, _ := img.Resolve(topic, broker, static, name)
	return s
}

// BrokerInt resolves a broker config that is a number.
func (img *Image) BrokerInt(broker kafka.NodeID, static Static, name string) int64 {
	s, _ := img.ResolveBroker(broker, static, name)
	return parsed(kafka.ScopeBroker, name, s).Int
}

// BrokerBool resolves a broker config that is true or false.
func (img *Image) BrokerBool(broker kafka.NodeID, static Static, name string) bool {
	s, _ := img.ResolveBroker(broker, static, name)
	return parsed(kafka.ScopeBroker, name, s).Bool
}

// BrokerDuration resolves a broker config that is a time.
func (img *Image) BrokerDuration(broker kafka.NodeID, static Static, name string) kafka.Duration {
	return kafka.LookupConfig(kafka.ScopeBroker, name).Duration(img.BrokerInt(broker, static, name))
}

// TopicDuration resolves a topic config that is a time.
func (img *Image) TopicDuration(topic string, broker kafka.NodeID, static Static, name string) kafka.Duration {
	return kafka.LookupConfig(kafka.ScopeTopic, name).Duration(img.TopicInt(topic, broker, static, name))
}

// MinISR is the effective min.insync.replicas of a topic: at most its number of
// replicas (KIP-966; ReplicationControlManager.getTopicEffectiveMinIsr).
func (img *Image) MinISR(t *Topic, broker kafka.NodeID, static Static) int {
	n := img.TopicInt(t.Name, broker, static, "min.insync.replicas")
	if len(t.Partitions) > 0 {
		n = min(n, int64(len(t.Partitions[0].Replicas)))
	}
	return int(n)
}

// parsed reads a value that was checked when it was set.
func parsed(scope kafka.Scope, name, value string) kafka.ConfigValue {
	v, err := kafka.ParseConfig(scope, name, value)
	if err != nil {
		panic("metadata: a value that nobody checked: " + err.Error())
	}
	return v
}

// Check reports what is wrong with server.properties: the first unknown name
// or bad value, or one that does not go with another, as *kafka.UnknownConfig or
// *kafka.ConfigError.
func (s Static) Check() error {
	for _, v := range s {
		if _, err := kafka.ParseConfig(kafka.ScopeBroker, v.Name, v.Value); err != nil {
			return err
		}
	}
	return kafka.Conflict(kafka.ScopeBroker, func(name string) string {
		v, _ := Empty().ResolveBroker(kafka.NoNode, s, name)
		return v
	})
}
