package kafka

// Broker configs of the log cleaner (CleanerConfig).

func init() { addConfigs(ScopeBroker, cleanerConfigs...) }

var cleanerConfigs = []Config{
	{Name: "log.cleaner.threads", Type: TypeInt, Default: "1", Min: 0, Max: maxInt32, Dynamic: ClusterWide,
		Doc: "How many logs are cleaned at a time; the offset map's memory is shared out among the threads."},
	{Name: "log.cleaner.io.buffer.load.factor", Type: TypeDecimal, Default: "0.9", Min: 0, Max: 1, Dynamic: ClusterWide,
		Doc: "How full the cleaner's offset map may get: more keys per pass, and more collisions in it."},
	{Name: "log.cleaner.dedupe.buffer.size", Type: TypeInt, Default: "134217728", Min: NoMin, Max: NoMax, Unit: UnitBytes, Dynamic: ClusterWide,
		Doc: "Memory of the cleaner's offset map; a key takes 24 bytes, more than 1 MiB for each thread."},
	{Name: "log.cleaner.io.max.bytes.per.second", Type: TypeInt, Default: "9223372036854775807", Min: 1, Max: NoMax, Unit: UnitBytes, Dynamic: ClusterWide,
		Doc: "How fast the cleaner may read and write; a small number makes a pass slow enough to watch."},
}
