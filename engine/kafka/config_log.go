package kafka

// Broker configs of the log cleaner (CleanerConfig).

func init() { addConfigs(ScopeBroker, cleanerConfigs...) }

var cleanerConfigs = []Config{
	{Name: "log.cleaner.dedupe.buffer.size", Type: TypeInt, Default: "134217728", Min: 1, Max: NoMax, Unit: UnitBytes, Dynamic: ClusterWide,
		Doc: "Memory of the cleaner's offset map; a key takes 24 bytes, and it is filled to 90 %."},
	{Name: "log.cleaner.io.max.bytes.per.second", Type: TypeInt, Default: "9223372036854775807", Min: 1, Max: NoMax, Unit: UnitBytes, Dynamic: ClusterWide,
		Doc: "How fast the cleaner may read and write; a small number makes a pass slow enough to watch."},
}
