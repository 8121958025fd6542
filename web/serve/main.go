package main

import (
	"flag"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/highwater-sim/highwater/web/serve/static"
)

func main() {
	addr := flag.String("addr", "localhost:8080", "address to listen on")
	dir := flag.String("dir", "web/dist", "the built site")
	flag.Parse()
	if err := run(*addr, *dir); err != nil {
		fmt.Fprintln(os.Stderr, "serve:", err)
		os.Exit(1)
	}
}

func run(addr, dir string) error {
	if _, err := os.Stat(filepath.Join(dir, "index.html")); err != nil {
		return fmt.Errorf("no site there, build it first (make site): %w", err)
	}
	listener, err := net.Listen("tcp", addr)
	if err != nil {
		return err
	}
	fmt.Printf("Highwater: http://%s/   (stop with Ctrl+C)\n", listener.Addr())
	server := &http.Server{Handler: static.Handler(os.DirFS(dir)), ReadHeaderTimeout: 10 * time.Second}
	return server.Serve(listener)
}
