package compress

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// BenchmarkCodecs packs and unpacks a batch of 16 KiB, batch.size of a producer.
func BenchmarkCodecs(b *testing.B) {
	rng := rand.New(rand.NewPCG(1, 2))
	var src []byte
	for i := 0; len(src) < 16384; i++ {
		src = fmt.Appendf(src, `{"id":%d,"user":"user-%d","amount":%d.%02d,"currency":"EUR"}`, i, rng.IntN(500), rng.IntN(1000), rng.IntN(100))
	}
	for _, name := range []string{"gzip", "snappy", "lz4", "zstd"} {
		packed := codecs[name].Compress(nil, src)
		b.Run(name+"/pack", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				codecs[name].Compress(nil, src)
			}
			b.ReportMetric(float64(len(packed))/float64(len(src)), "ratio")
		})
		b.Run(name+"/unpack", func(b *testing.B) {
			b.SetBytes(int64(len(src)))
			for b.Loop() {
				if _, err := codecs[name].Decompress(nil, packed, len(src)); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
