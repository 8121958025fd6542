package scenario

// VerbHelp is one word of the language for a help page: how it is written, and
// what it does.
type VerbHelp struct{ Usage, Doc string }

// Verbs lists the verbs of commands by name.
func Verbs() []VerbHelp {
	var h []VerbHelp
	for _, w := range verbWords {
		h = append(h, VerbHelp{verbs[w].usage, verbs[w].doc})
	}
	return h
}

// Headers lists the lines before the script, each as one that can be written.
func Headers() []VerbHelp {
	return []VerbHelp{
		{"title My cluster", "what it is called"},
		{"chapter durability", "where it belongs in the library"},
		{"case R15", "the public report that it re-enacts"},
		{"seed 42", "of everything random"},
		{"text You will see acknowledged records disappear.", "prose; indented lines go on"},
		{"cluster brokers=3 racks=a,b,c controllers=3 latency=1ms", "the machines and the links between them; jitter=, bandwidth=, combined= and cluster configs too"},
		{"broker all replica.lag.time.max.ms=10000", "configs of all brokers, or of one: broker broker-1"},
		{"topic orders partitions=3 replication.factor=3 min.insync.replicas=2", "a topic that is there from the start; replica-assignment=1:2,2:3 places it"},
		{"producer app topic=orders acks=all rate=5/s keys=8", "a producer that runs from the start"},
		{"consumer c1 assign=orders group=billing from=earliest", "a consumer that runs from the start"},
	}
}

// Script lists the lines of the script, each as one that can be written.
func Script() []VerbHelp {
	return []VerbHelp{
		{"at 4s crash broker-1", "a command at an instant; indented lines below belong to the same instant"},
		{"at 4s say The leader is gone.", "words for the reader"},
		{"at 4s ask Who leads now? | broker 1 | *broker 2", "a question; * marks what is right"},
		{"at 9s expect leader(orders-0) == 2", "must hold now; within 5s, always, never and eventually go before it"},
		{"at 20s end", "how long the script is"},
	}
}
