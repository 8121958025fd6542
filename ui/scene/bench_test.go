package scene_test

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/view"
	"github.com/highwater-sim/highwater/ui/scene"
	"github.com/highwater-sim/highwater/ui/scene/fixture"
)

func benchmark(b *testing.B, c *view.Cluster) {
	var l scene.List
	var dst []byte
	in := scene.Input{Cluster: c, W: 896, H: 600, Wall: 1.0 / 60, Speed: 1, State: new(scene.State)}
	b.ReportAllocs()
	for b.Loop() {
		scene.Build(in, &l)
		dst = l.AppendBinary(dst[:0])
	}
	b.ReportMetric(float64(len(l.Ops)), "ops")
	b.ReportMetric(float64(len(dst)), "bytes")
}

func BenchmarkBuild3x12(b *testing.B)  { benchmark(b, fixture.WithCells(fixture.Grid(3, 12), 16)) }
func BenchmarkBuild3x100(b *testing.B) { benchmark(b, fixture.Grid(3, 100)) }
func BenchmarkBuild9x1000(b *testing.B) {
	benchmark(b, fixture.Grid(9, 1000))
}
