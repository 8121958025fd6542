package zstd

import (
	"fmt"
	"math/rand/v2"
	"testing"
)

// orders are records such as a shop writes, n bytes of them.
func orders(n int) []byte {
	rng := rand.New(rand.NewPCG(5, 6))
	b := make([]byte, 0, n+200)
	for i := 0; len(b) < n; i++ {
		b = fmt.Appendf(b, `%c%c{"id":%d,"user":"user-%d","amount":%d.%02d,"currency":"EUR","state":"%s"}`,
			rng.IntN(256), i*2, i, rng.IntN(500), rng.IntN(1000), rng.IntN(100), []string{"OPEN", "PAID", "FAILED", "REFUNDED"}[rng.IntN(4)])
	}
	return b[:n]
}

func BenchmarkPack(b *testing.B) {
	src := orders(16384)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		Pack(nil, src)
	}
}

func BenchmarkUnpack(b *testing.B) {
	src := orders(16384)
	packed := Pack(nil, src)
	b.SetBytes(int64(len(src)))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Unpack(nil, packed, len(src)); err != nil {
			b.Fatal(err)
		}
	}
}
