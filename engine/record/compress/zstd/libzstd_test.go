package zstd

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestLibzstd: frames of the real zstd, at its levels, from a file (with a content
// size) and from a pipe (without), are read, and it reads ours. It needs the
// command zstd.
func TestLibzstd(t *testing.T) {
	command, err := exec.LookPath("zstd")
	if err != nil {
		t.Skip("there is no command zstd")
	}
	run := func(in []byte, args ...string) []byte {
		cmd := exec.Command(command, append(args, "-q", "-c")...)
		cmd.Stdin = bytes.NewReader(in)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("zstd %s: %v", strings.Join(args, " "), err)
		}
		return out
	}
	list := map[string][]byte{"orders": orders(1_000_000), "small orders": orders(900)}
	var sources []byte
	files, err := filepath.Glob("../../../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		b, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		sources = append(sources, b...)
	}
	list["sources"] = sources
	for name, b := range samples() {
		if strings.HasPrefix(name, "copies 4") || strings.HasSuffix(name, "400000") || name == "" {
			list[name] = b
		}
	}
	for name, src := range list {
		file := filepath.Join(t.TempDir(), "plain")
		if err := os.WriteFile(file, src, 0o600); err != nil {
			t.Fatal(err)
		}
		for _, level := range []string{"-1", "-3", "-19"} {
			for _, packed := range [][]byte{run(src, level), run(nil, level, "--no-check", file)} {
				if got, err := Unpack(nil, packed, len(src)); err != nil || !bytes.Equal(got, src) {
					t.Fatalf("%s, packed by zstd %s: %d bytes, %v", name, level, len(got), err)
				}
			}
		}
		packed := Pack(nil, src)
		if got := run(packed, "-d"); !bytes.Equal(got, src) {
			t.Fatalf("%s: zstd unpacks %d bytes of %d", name, len(got), len(src))
		}
		if theirs := len(run(src, "-3", "--no-check")); len(src) > 500 {
			if 100*len(packed) > 110*theirs {
				t.Errorf("%s: %d bytes are packed to %d, by zstd to %d", name, len(src), len(packed), theirs)
			}
			t.Logf("%-14s %8d bytes: %7d, zstd -3 %7d", name, len(src), len(packed), theirs)
		}
	}
}
