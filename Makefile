# Tools run at these versions through `go run`, so go.mod lists only what the program itself needs.
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
GOLANGCI    := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
DEADCODE    := golang.org/x/tools/cmd/deadcode@v0.52.0
BENCHSTAT   := golang.org/x/perf/cmd/benchstat@v0.0.0-20260908200009-22c9c6c9d4da
GOVULNCHECK := golang.org/x/vuln/cmd/govulncheck@v1.9.0

# Two build modes for tests, each with its own cache: plain (check, lint) and -race (test). The program itself is built
# without cgo, as a start that has no C library to load is a tenth quicker. -trimpath stays in `release`: anywhere else it
# would mean another cold build.
PLATFORMS := linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64
# What is tested first, without the race detector: it needs no database.
PURE      := ./sanitize/... ./memory ./sync ./recall ./api/wire
# Rules for secrets and names take ten times as long under the race detector, so only what shares state runs there.
SHARED    := Concurrent|Slots|Deadline|Generations|Verdicts
VERSION   ?= $(shell git describe --tags --always --dirty)
FUZZTIME  ?= 30s
COUNT     ?= 6

# Tests get one throw-away Postgres, unless TEAMMEM_TEST_DATABASE_URL names a server to use.
CLUSTER := $(if $(TEAMMEM_TEST_DATABASE_URL),,go run ./internal/testdb/cluster --)

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
.NOTPARALLEL:
.DEFAULT_GOAL := help

.PHONY: help
help: ## Show this list
	@awk -F ':.*## ' '/^##$$/ { print "" } /^[a-z0-9-]+:.*## / { printf "  %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

##
.PHONY: setup browser build demo
setup: ## Find Go and Postgres on this machine; install Postgres if it is missing
	@scripts/setup

browser: ## Find a browser for the console's tests; install one if it is missing
	@scripts/setup chromium

build: ## Build bin/teammem
	CGO_ENABLED=0 go build -o bin/linked/ ./cmd/teammem
	@# The linker leaves its file in memory page by page; a copy is there in large pieces, and starts quicker.
	install bin/linked/teammem bin/ && rm -r bin/linked

demo: setup build ## Show two members sharing memory through a server of its own
	@scripts/demo

##
.PHONY: generate verify fmt lint check
generate: ## Write the generated files again
	go generate ./...

verify: ## Check that generating changes nothing and that go.mod is tidy
	@state() { git status --porcelain; git diff; }; before=$$(state); go generate ./...; \
	[ "$$before" = "$$(state)" ] || { echo 'verify: go generate changes files; commit what it writes:'; git status --short; exit 1; }
	go mod tidy -diff
	go mod verify

fmt: ## Lay out the Go source
	go run $(GOFUMPT) -l -w .

layout:
	@files=$$(go run $(GOFUMPT) -l .); [ -z "$$files" ] || { printf 'not laid out, run make fmt:\n%s\n' "$$files"; exit 1; }

arch:
	go test cmd/teammem/arch_test.go

lint: layout ## Check layout, vet for three systems, run the linters
	@# The linters include vet, on this system, and staticcheck.
	@for os in linux darwin windows; do [ $$os = $$(go env GOOS) ] && continue; \
		echo "GOOS=$$os go vet ./..."; GOOS=$$os go vet ./...; done
	go run $(GOLANGCI) run

check: layout arch ## Quick half of test: no database, no race detector
	go vet ./...
	go test $(PURE)

##
.PHONY: test test-race test-db e2e screenshots
test: setup browser verify lint arch test-pure test-race ## All that CI runs, cheap things first

test-pure:
	go test -timeout 20m $(PURE)

test-race: ## All tests with the race detector, on a throw-away Postgres
	go test -race -run '$(SHARED)' ./sanitize/...
	$(CLUSTER) go test -race -short -timeout 20m $$(go list ./... | grep -v '/sanitize')

test-db: ## Only the packages that need Postgres
	$(CLUSTER) go test -race ./store/... ./internal/... ./auth/... ./api/...

e2e: browser ## Only the tests that run the command line or a browser against a server
	$(CLUSTER) go test -race ./cmd/... ./web/...

screenshots: browser ## Write pictures of every page of the console into dist/screenshots
	@rm -rf dist/screenshots
	$(CLUSTER) go test ./web/e2e -run '^TestPages$$' -count 1 -args -pictures "$(CURDIR)/dist/screenshots"

##
.PHONY: fuzz bench peers bench-go soak promises audit man release
fuzz: ## Fuzz each parser of foreign bytes for FUZZTIME (30s)
	@grep -rnoE --include='*_test.go' '^func Fuzz[A-Za-z0-9_]+' . | while IFS=: read -r file _ func; do \
		echo "== $$(dirname "$$file") $${func#func }"; \
		go test "$$(dirname "$$file")" -run '^$$' -fuzz "^$${func#func }\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 100x </dev/null; done

bench: setup ## Measure syncs and watchers beside others that are installed; write docs/bench-*.svg; BENCHFLAGS='-live ""': no watchers
	PATH="$$PATH:$$(go env GOPATH)/bin" go run ./bench/peers -charts docs -live 1000,10000 $(BENCHFLAGS)

peers: setup ## Install the watchers that make bench compares with
	@scripts/setup syncthing mutagen

bench-go: ## Run the Go benchmarks COUNT (6) times into dist/bench.txt; OLD=FILE compares with an earlier run
	@mkdir -p dist
	$(CLUSTER) go test -run '^$$' -bench . -benchmem -count $(COUNT) ./... | tee dist/bench.txt
	$(if $(OLD),go run $(BENCHSTAT) $(OLD) dist/bench.txt)

soak: ## Long runs: a minute of each fuzz target, properties by the thousand, every test again and again
	$(MAKE) fuzz FUZZTIME=60s
	go test -timeout 4h $$(grep -rl --include='*_test.go' pgregory.net/rapid . | xargs -n 1 dirname | sort -u) -rapid.checks=20000
	TEAMMEM_SOAK=1 $(CLUSTER) go test -race -count 20 -timeout 4h ./...

promises: ## Write docs/promises.md from a run of the tests it names; PROMISES=-all runs those again that passed
	$(CLUSTER) go run ./internal/promises/write $(PROMISES)

audit: ## What needs the network or a person's judgement: vulnerabilities, dead code, newer versions
	go run $(GOVULNCHECK) ./...
	go run $(DEADCODE) -test ./...
	go list -m -u -f '{{if and .Update (not .Indirect)}}{{.Path}} {{.Version}} -> {{.Update.Version}}{{end}}' all

man: ## Write the manual into dist/man, a page for each command
	@rm -rf dist/man
	go run ./cmd/teammem man dist/man

release: ## Build small, reproducible binaries for each platform into dist/, with the manual and checksums
	@rm -rf dist/release && mkdir -p dist/release
	@for platform in $(PLATFORMS); do os=$${platform%/*} arch=$${platform#*/}; \
		suffix=$$([ $$os = windows ] && echo .exe || true); echo "$$platform"; \
		CGO_ENABLED=0 GOOS=$$os GOARCH=$$arch go build -trimpath -ldflags '-s -w -X main.version=$(VERSION)' \
			-o dist/release/teammem_$${os}_$$arch$$suffix ./cmd/teammem; done
	@rm -rf dist/man && go run -ldflags '-X main.version=$(VERSION)' ./cmd/teammem man dist/man/man1
	@# Names in order and no times: the same pages make the same archive.
	@find dist/man -exec touch -t 197001010000 {} + && cd dist/man && \
		tar -c -f - --numeric-owner man1/*.1 | gzip -9n >../release/teammem_man.tar.gz
	@cd dist/release && { sha256sum teammem_* 2>/dev/null || shasum -a 256 teammem_*; } >SHA256SUMS

.PHONY: layout arch test-pure
