package site

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"runtime"
	"sync"
	"time"

	"github.com/andybalholm/brotli"
)

// manifestName is the file that lists the site.
const manifestName = "manifest.json"

// Entry is one file of the manifest; sizes in bytes, 0 where there is no such
// copy because it would not be smaller.
type Entry struct {
	Name   string `json:"name"`
	Hash   string `json:"hash"` // as in ?v=
	Bytes  int    `json:"bytes"`
	Gzip   int    `json:"gzip,omitempty"`
	Brotli int    `json:"brotli,omitempty"`
}

// coding is one way to compress: the suffix of the copy and the effort.
type coding struct {
	suffix string
	level  int
	pack   func(data []byte, level int) ([]byte, error)
}

// codings are what the build writes: for a site to host the best there is, for
// trying things out what takes a second.
func codings(fast bool) []coding {
	if fast {
		return []coding{{".gz", 1, gzipped}}
	}
	return []coding{{".gz", gzip.BestCompression, gzipped}, {".br", brotli.BestCompression, brotlied}}
}

func gzipped(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, level)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

func brotlied(data []byte, level int) ([]byte, error) {
	var out bytes.Buffer
	w := brotli.NewWriterOptions(&out, brotli.WriterOptions{Quality: level, LGWin: 24})
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// compressible tells by name whether a copy can pay.
func compressible(name string) bool {
	switch path.Ext(name) {
	case ".wasm", ".js", ".css", ".html", ".svg", ".ttf", ".txt", ".hw", ".json":
		return true
	}
	return false
}

// compress adds .gz and .br beside each file that gets smaller by it.
func (s *site) compress() error {
	type job struct {
		name string
		how  coding
		data []byte
		err  error
	}
	began := time.Now()
	var jobs []*job
	for _, name := range s.names() {
		if !compressible(name) || len(s.files[name]) < 512 {
			continue
		}
		for _, how := range codings(s.Fast) {
			jobs = append(jobs, &job{name: name, how: how})
		}
	}
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.NumCPU())
	for _, j := range jobs {
		wait.Go(func() {
			slots <- struct{}{}
			defer func() { <-slots }()
			j.data, j.err = s.packed(s.files[j.name], j.how)
		})
	}
	wait.Wait()
	for _, j := range jobs {
		if j.err != nil {
			return fmt.Errorf("%s%s: %w", j.name, j.how.suffix, j.err)
		}
		if len(j.data) < len(s.files[j.name]) {
			s.files[j.name+j.how.suffix] = j.data
		}
	}
	fmt.Fprintf(s.Log, "%d compressed copies  %.1f s\n", len(jobs), time.Since(began).Seconds())
	return nil
}

// packed compresses, or takes the result of an earlier build: the cache is by
// content. It is a convenience; that it cannot be written is no error.
func (s *site) packed(data []byte, how coding) ([]byte, error) {
	if len(data) < 100_000 {
		return how.pack(data, how.level)
	}
	file := filepath.Join(s.cache, fmt.Sprintf("%s-%d%s", hash(data), how.level, how.suffix))
	if kept, err := os.ReadFile(file); err == nil {
		return kept, nil
	}
	out, err := how.pack(data, how.level)
	if err != nil {
		return nil, err
	}
	if os.MkdirAll(s.cache, 0o755) == nil {
		part := file + ".part"
		if os.WriteFile(part, out, 0o644) == nil {
			_ = os.Rename(part, file)
		}
	}
	return out, nil
}

// addManifest lists every file with its sizes.
func (s *site) addManifest() error {
	var list []Entry
	for _, name := range s.names() {
		if ext := path.Ext(name); ext == ".gz" || ext == ".br" {
			continue
		}
		list = append(list, Entry{
			Name: name, Hash: hash(s.files[name]), Bytes: len(s.files[name]),
			Gzip: len(s.files[name+".gz"]), Brotli: len(s.files[name+".br"]),
		})
	}
	data, err := json.MarshalIndent(list, "", " ")
	if err != nil {
		return err
	}
	s.files[manifestName] = append(data, '\n')
	return nil
}
