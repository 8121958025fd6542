package kafka

// The throttle of replication (KIP-73; server/config/QuotaConfig.java). Kafka
// defines these configs as dynamic only: they are not read from
// server.properties.

func init() {
	addConfigs(ScopeTopic,
		Config{Name: "leader.replication.throttled.replicas", Type: TypeList, rule: throttledReplicas,
			Doc: "Replicas whose followers outside the ISR are served within the leader's rate: partition:broker,... or *."},
		Config{Name: "follower.replication.throttled.replicas", Type: TypeList, rule: throttledReplicas,
			Doc: "Replicas that fetch within the follower's rate while they catch up: partition:broker,... or *."})
	addConfigs(ScopeBroker,
		Config{Name: "leader.replication.throttled.rate", Type: TypeInt, Default: "9223372036854775807", Min: 0, Max: NoMax, Unit: UnitBytes, Dynamic: PerBroker,
			Doc: "Bytes per second that a leader gives to throttled replicas."},
		Config{Name: "follower.replication.throttled.rate", Type: TypeInt, Default: "9223372036854775807", Min: 0, Max: NoMax, Unit: UnitBytes, Dynamic: PerBroker,
			Doc: "Bytes per second that a follower fetches for throttled replicas."},
		Config{Name: "replica.alter.log.dirs.io.max.bytes.per.second", Type: TypeInt, Default: "9223372036854775807", Min: 0, Max: NoMax, Unit: UnitBytes, Dynamic: PerBroker,
			Doc: "Bytes per second that replicas on their way between log directories are copied at, together."},
	)
}
