# Highwater. `make` alone lists the targets; Go and make are all that `make run` needs.
SHELL := /bin/bash
DIST  ?= web/dist
ADDR  ?= localhost:8080
TIME  ?= 30s
JS    := GOOS=js GOARCH=wasm
# The packages that are also compiled for the browser.
PAGE  := $(patsubst %,./%/...,$(wildcard ui wasm))

# True where the browser tests find a browser (web/e2e looks at the same names).
CHROMIUM := [ -n "$$HIGHWATER_CHROMIUM" ] || command -v chromium chromium-browser google-chrome >/dev/null

.DEFAULT_GOAL := help
.PHONY: help run site test check scenarios bench size e2e fuzz clean browser skipped

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z0-9]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: ## build the site quickly and serve it on http://localhost:8080
	go run ./web/build -fast -out $(DIST)
	go run ./web/serve -dir $(DIST) -addr $(ADDR)

site: ## build the site to host: web/dist, everything precompressed
	go run ./web/build -out $(DIST)

test: check browser ## everything that must hold: check, unit tests, scenarios, browser tests
	go test $$(go list ./... | grep -v '/web/e2e$$')
	go test -count=1 -timeout 15m ./web/e2e
	@$(MAKE) -s skipped

check: ## import rules, formats, docs, vet and staticcheck (native and wasm), generated code
	go vet ./...
	$(if $(PAGE),$(JS) go vet $(PAGE))
	go build -o bin/staticcheck honnef.co/go/tools/cmd/staticcheck
	bin/staticcheck ./...
	$(if $(PAGE),$(JS) bin/staticcheck $(PAGE))
	go test ./engine/cmd/tidy

scenarios: ## run every scenario of scenarios/ and its expectations
	go test -count=1 ./scenarios/...

e2e: browser ## browser tests only (HIGHWATER_SHOTS=DIR keeps screenshots)
	go test -count=1 -timeout 15m -v ./web/e2e
	@$(MAKE) -s skipped

bench: browser ## benchmarks, native and in Chromium
	go test -run '^$$' -bench . -benchmem ./engine/... ./ui/...
	go test -run '^$$' -bench . -benchtime 1x ./web/e2e

size: ## bytes of both modules beside two empty programs, against the budget
	go run ./web/build -size

fuzz: ## every fuzz target for TIME (30s) each
	@go list -f '{{if .TestGoFiles}}{{.Dir}}{{end}}{{if .XTestGoFiles}} {{.Dir}}{{end}}' ./... | tr ' ' '\n' | sort -u | while read -r dir; do \
	  [ -n "$$dir" ] || continue; \
	  sed -n 's/^func \(Fuzz[A-Za-z0-9_]*\)(.*/\1/p' "$$dir"/*_test.go | sort -u | while read -r name; do \
	    echo "== $$name in $$dir"; go test -run '^$$' -fuzz "^$$name$$" -fuzztime $(TIME) "$$dir" </dev/null || exit 1; \
	  done || exit 1; \
	done

browser: # brings Chromium where it can: root and apt-get
	@if $(CHROMIUM); then :; \
	elif [ "$$(id -u)" = 0 ] && command -v apt-get >/dev/null; then \
	  echo "Chromium is missing: installing it with apt-get, once."; \
	  apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium >/dev/null || [ "$$CI" != true ]; \
	elif [ "$$CI" = true ]; then echo "Chromium is missing and cannot be installed here."; exit 1; fi

skipped:
	@$(CHROMIUM) || { n=$$(go test -list '^Test' ./web/e2e | grep -c '^Test'); \
	  echo "!!! no Chromium: $$n BROWSER TESTS WERE SKIPPED (install it or set HIGHWATER_CHROMIUM)" >&2; }

clean: ## remove what was built
	rm -rf $(DIST) .cache bin
