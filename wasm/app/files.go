//go:build js && wasm

package main

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/highwater-sim/highwater/engine"
	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/ui/model"
)

// file shows a log file of the user's, or opens a scenario.
func (a *app) file(name string, data []byte) {
	if data == nil {
		a.act(model.Say{Text: name + " cannot be read: a file may have at most 64 MiB, and folders have none."})
		return
	}
	if len(data) == 0 {
		a.act(model.Say{Text: name + " is empty."})
		return
	}
	if isText(name, data) {
		if len(data) > model.SourceMax {
			a.act(model.Say{Text: name + " is too long for a scenario: it may have 256 KiB."})
			return
		}
		a.act(model.Act{Do: "run", Value: string(data)})
		return
	}
	a.act(model.FileRead{File: engine.ReadLogFile(name, data)})
}

// isText reports whether a file is a scenario by its name, or else by its bytes.
func isText(name string, data []byte) bool {
	switch {
	case strings.HasSuffix(name, ".hw"), strings.HasSuffix(name, ".txt"):
		return true
	case strings.HasSuffix(name, ".log"), strings.HasSuffix(name, ".checkpoint"):
		return false
	}
	return utf8.Valid(data) && !bytes.Contains(data, []byte{0})
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
