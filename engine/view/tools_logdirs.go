package view

import (
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/highwater-sim/highwater/engine/broker"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/node"
	"github.com/highwater-sim/highwater/engine/storage"
	"github.com/highwater-sim/highwater/engine/world"
)

// DescribeLogDirs is what kafka-log-dirs --describe prints (LogDirsCommand.java),
// for one broker or with NoNode for all that run; its JSON has the order that Java's
// HashMap gives it. Folders that wait to be deleted are not in it.
func DescribeLogDirs(w *world.World, id kafka.NodeID) []string {
	var ids, found []string
	for _, n := range w.Brokers() {
		if b := n.Broker(); b != nil && b.Serving() && (id == kafka.NoNode || n.ID() == id) {
			ids = append(ids, strconv.Itoa(int(n.ID())))
			found = append(found, brokerDirs(b))
		}
	}
	return []string{
		"Querying brokers for log directories information",
		"Received log directory information from brokers " + strings.Join(ids, ","),
		`{"brokers":[` + strings.Join(found, ",") + `],"version":1}`,
	}
}

func brokerDirs(b *broker.Broker) string {
	var dirs []string
	for in, path := range b.LogDirs() {
		fault, logs := "null", []string(nil)
		if b.DirectoryOffline(in) {
			fault = `"org.apache.kafka.common.errors.KafkaStorageException"`
		} else {
			for _, l := range b.LogsIn(in) {
				logs = append(logs, `{"partition":`+quoted(l.TP.String())+`,"size":`+strconv.FormatInt(l.Size, 10)+
					`,"offsetLag":`+strconv.FormatInt(l.OffsetLag, 10)+`,"isFuture":`+strconv.FormatBool(l.Future)+`}`)
			}
		}
		dirs = append(dirs, `{"partitions":[`+strings.Join(logs, ",")+`],"error":`+fault+`,"logDir":`+quoted(path)+`}`)
	}
	return `{"broker":` + strconv.Itoa(int(b.Config().ID)) + `,"logDirs":[` + strings.Join(dirs, ",") + `]}`
}

func quoted(s string) string {
	b, _ := json.Marshal(s) // a string can be marshalled
	return string(b)
}

// logDirs fills in what the log directories of a machine hold.
func logDirs(n *node.Broker, offline []string) (out []LogDir) {
	d := n.Dir()
	capacity := n.DiskCapacity()
	for in, path := range n.Directories() {
		x := LogDir{Path: path, Metadata: in == n.MetadataDir(), Bytes: d.SizeIn(in), Capacity: capacity}
		x.Offline = slices.Contains(offline, path)
		for k := range d.Gone() {
			if g := &d.Gone()[k]; g.In == in {
				x.Gone = append(x.Gone, GoneDir{Name: g.Name(), Bytes: g.Bytes, Due: g.Due})
			}
		}
		for _, e := range d.Futures() {
			if e.In == in {
				x.Futures = append(x.Futures, e.Partition)
			}
		}
		out = append(out, x)
	}
	return out
}

// dirRows lists what each log directory of a broker holds.
func (i *inspector) dirRows(n *node.Broker) {
	for _, d := range logDirs(n, n.OfflineDirectories()) {
		text := size(d.Bytes)
		if d.Capacity > 0 {
			text += " of " + size(d.Capacity)
		}
		if d.Metadata {
			text += ", with the metadata log"
		}
		i.rowIf(d.Offline || d.Capacity > 0 && d.Bytes*10 >= d.Capacity*9, "disk of "+d.Path, text)
		for _, tp := range d.Futures {
			i.row(storage.FutureName(tp, i.topicID(tp.Topic)), "moves to "+d.Path)
		}
		for _, g := range d.Gone {
			until := "until somebody deletes it"
			if g.Due != kafka.Never {
				until = "until " + g.Due.String()
			}
			i.row(g.Name, size(g.Bytes)+" in "+d.Path+", "+until)
		}
	}
}

func (i *inspector) topicID(name string) (id kafka.TopicID) {
	if t := i.w.Image().Topic(name); t != nil {
		id = t.ID
	}
	return id
}
