//go:build js && wasm

package main

import (
	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// file shows a file of the user's.
func (a *app) file(name string, data []byte) {
	if data == nil {
		a.act(model.Say{Text: name + " cannot be read: a file may have at most 64 MiB, and folders have none."})
		return
	}
	a.act(model.FileRead{File: engine.ReadLogFile(name, data)})
}

// downloadFile offers a file of the selected replica or process, as Kafka has it on disk.
func (a *app) downloadFile(name string) {
	sel := a.m.Selection
	if sel.Kind == "controller" || sel.Kind == "broker" {
		sel.TP.Topic = kafka.TopicMetadata
	}
	data, err := a.session.SegmentFile(sel.TP, sel.Node, name)
	if err != nil {
		a.send(model.Say{Text: err.Error()})
		return
	}
	a.browser.DownloadBytes(name, data)
}
