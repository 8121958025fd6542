package motion

import (
	"testing"

	"github.com/highwater-sim/highwater/engine/kafka"
)

func TestProgress(t *testing.T) {
	for _, c := range []struct {
		now, sent, arrive kafka.Instant
		want              float32
	}{
		{5, 10, 20, 0}, {10, 10, 20, 0}, {15, 10, 20, 0.5}, {20, 10, 20, 1}, {30, 10, 20, 1}, {10, 10, 10, 0}, {11, 10, 10, 1},
		{kafka.Instant(kafka.Hour), 0, kafka.Never, float32(float64(kafka.Hour) / float64(kafka.Never))},
	} {
		if got := Progress(c.now, c.sent, c.arrive); got != c.want {
			t.Errorf("%v between %v and %v: %v, want %v", c.now, c.sent, c.arrive, got, c.want)
		}
	}
}

func TestVisible(t *testing.T) {
	for _, c := range []struct {
		d     kafka.Duration
		speed float32
		want  bool
	}{
		{kafka.Millisecond, 0, true}, {kafka.Millisecond, 1, false}, {kafka.Millisecond, 0.01, true}, {kafka.Second, 1, true}, {kafka.Second, 100, false},
	} {
		if got := Visible(c.d, c.speed); got != c.want {
			t.Errorf("%v at %vx: %v", c.d, c.speed, got)
		}
	}
}

func TestApproach(t *testing.T) {
	if got := Approach(0, 10, 0, 0.1); got != 10 {
		t.Errorf("a still picture tweens: %v", got)
	}
	x := float32(0)
	for i := range 60 {
		next := Approach(x, 10, 1.0/60, 0.07)
		if next <= x && next != 10 || next > 10 {
			t.Fatalf("step %d: %v after %v", i, next, x)
		}
		x = next
	}
	if x != 10 {
		t.Errorf("after a second: %v", x)
	}
}

func TestBezier(t *testing.T) {
	if a, b, c := Bezier(1, 2, 3, 4, 0), Bezier(1, 2, 3, 4, 1), Bezier(0, 1, 2, 3, 0.5); a != 1 || b != 4 || c != 1.5 {
		t.Error(a, b, c)
	}
}
