package main

import (
	"flag"
	"fmt"
	"os"

	"github.com/highwater-sim/highwater/web/build/site"
)

func main() {
	out := flag.String("out", "web/dist", "folder to write; replaced as a whole")
	root := flag.String("root", ".", "the repository")
	fast := flag.Bool("fast", false, "compress little: for trying things out")
	size := flag.Bool("size", false, "print the sizes of both modules beside two empty programs, and build nothing else")
	flag.Parse()
	if err := run(*root, *out, *fast, *size); err != nil {
		fmt.Fprintln(os.Stderr, "build:", err)
		os.Exit(1)
	}
}

func run(root, out string, fast, size bool) error {
	if size {
		return site.PrintSizes(os.Stdout, root)
	}
	return site.Build(site.Options{Root: root, Out: out, Fast: fast, Log: os.Stdout})
}
