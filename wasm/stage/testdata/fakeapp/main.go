//go:build js && wasm

// Command fakeapp stands in for wasm/app in the stage's browser test: it
// publishes pictures of hand-made clusters and says what came of them.
package main

import (
	"strconv"
	"syscall/js"
	"time"

	"github.com/highwater-sim/highwater/engine/kafka"
	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
	"github.com/highwater-sim/highwater/ui/theme"
	"github.com/highwater-sim/highwater/wasm/bridge"
)

func cluster(name string) *view.Cluster {
	switch name {
	case "crashed":
		return fixture.Crashed()
	case "12":
		return fixture.WithCells(fixture.Grid(3, 12), 24)
	case "100":
		return fixture.Grid(3, 100)
	case "1000":
		return fixture.Grid(9, 1000)
	}
	return fixture.Ordinary()
}

func main() {
	window := js.Global()
	query := window.Get("URLSearchParams").New(window.Get("location").Get("search"))
	param := func(name string) string {
		if v := query.Call("get", name); v.Type() == js.TypeString {
			return v.String()
		}
		return ""
	}
	c := cluster(param("cluster"))
	dark := theme.New(param("theme"), "")
	in := scene.Input{Cluster: c, Theme: &dark, DPR: float32(window.Get("devicePixelRatio").Float()), State: new(scene.State), Speed: 0.01}
	in.W, in.H = float32(window.Get("innerWidth").Float()), float32(window.Get("innerHeight").Float())

	var list scene.List
	var bytes []byte
	var stage *bridge.Stage
	built, frames, ready := 0.0, 0, 0
	playing := false
	perf := window.Get("performance")
	frame := func(ms float64) {
		began := perf.Call("now").Float()
		if playing {
			in.Wall = 1.0 / 60
			in.Now = c.Now.Add(kafka.Duration(frames%100) * 50 * kafka.Microsecond)
		}
		scene.Build(in, &list)
		bytes = list.AppendBinary(bytes[:0])
		stage.Publish(bytes)
		frames++
		built += perf.Call("now").Float() - began
		if playing {
			stage.Request()
		}
	}
	stage = bridge.Connect(bridge.StageEvents{Ready: func() { ready++ }, Frame: frame})
	stage.Request()
	window.Set("play", js.FuncOf(func(_ js.Value, args []js.Value) any {
		playing = args[0].Bool()
		if playing {
			stage.Request()
		}
		return nil
	}))
	window.Set("reload", js.FuncOf(func(js.Value, []js.Value) any {
		stage.Reload(window.Get("document").Call("getElementById", "stage"))
		return nil
	}))
	window.Set("state", js.FuncOf(func(js.Value, []js.Value) any {
		mean := 0.0
		if frames > 0 {
			mean = built / float64(frames)
		}
		return `{"painted":` + strconv.FormatUint(stage.Painted(), 10) + `,"frames":` + strconv.Itoa(frames) + `,"ready":` + strconv.Itoa(ready) +
			`,"cpuStage":` + strconv.FormatFloat(stage.CPU(), 'f', 3, 64) + `,"cpuBuild":` + strconv.FormatFloat(mean, 'f', 3, 64) +
			`,"bytes":` + strconv.Itoa(len(bytes)) + `}`
	}))
	for {
		time.Sleep(time.Hour)
	}
}
