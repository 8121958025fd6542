package site

import (
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"sync"
	"text/tabwriter"

	"github.com/andybalholm/brotli"
)

// SizeBudget is how much both modules together may weigh, compressed with brotli,
// as a multiple of two programs that contain the same toolkits, as go build makes
// them, and do nothing.
const SizeBudget = 1.4

// Size is one module, in bytes.
type Size struct {
	Name              string
	Raw, Gzip, Brotli int
}

// Sizes compiles app and stage and the two empty programs, in that order, and
// compresses each as the site does.
func Sizes(root string) ([]Size, error) {
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	s := &site{Options: Options{Root: root, Log: io.Discard}, cache: filepath.Join(root, ".cache", "site")}
	programs := []struct{ name, pkg string }{
		{"app", "./wasm/app"},
		{"stage", "./wasm/stage"},
		{"emptyapp", "./web/build/testdata/emptyapp"},
		{"emptystage", "./web/build/testdata/emptystage"},
	}
	sizes := make([]Size, len(programs))
	failed := make([]error, len(programs))
	var wait sync.WaitGroup
	for i, p := range programs {
		data, err := s.module(p.name, p.pkg)
		if err != nil {
			return nil, err
		}
		wait.Go(func() { sizes[i], failed[i] = s.sizeOf(p.name, data) })
	}
	wait.Wait()
	return sizes, errors.Join(failed...)
}

// sizeOf compresses one module as the site does.
func (s *site) sizeOf(name string, data []byte) (Size, error) {
	gz, err := s.packed(data, coding{".gz", gzip.BestCompression, gzipped})
	if err != nil {
		return Size{}, err
	}
	br, err := s.packed(data, coding{".br", brotli.BestCompression, brotlied})
	return Size{Name: name, Raw: len(data), Gzip: len(gz), Brotli: len(br)}, err
}

// PrintSizes prints the table and fails where the budget is exceeded.
func PrintSizes(w io.Writer, root string) error {
	sizes, err := Sizes(root)
	if err != nil {
		return err
	}
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "program\traw\tgzip -9\tbrotli 11\t")
	for _, one := range sizes {
		fmt.Fprintf(table, "%s\t%d\t%d\t%d\t\n", one.Name, one.Raw, one.Gzip, one.Brotli)
	}
	if err := table.Flush(); err != nil {
		return err
	}
	ours, empty := sizes[0].Brotli+sizes[1].Brotli, sizes[2].Brotli+sizes[3].Brotli
	ratio := float64(ours) / float64(empty)
	fmt.Fprintf(w, "app + stage = %.2f MB, %.2f x the two empty programs (%.2f MB); budget %.1f x\n",
		float64(ours)/1e6, ratio, float64(empty)/1e6, SizeBudget)
	if ratio > SizeBudget {
		return errors.New("over the size budget")
	}
	return nil
}
