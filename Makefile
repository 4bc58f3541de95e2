# make run    build Weft and start it (in a window, or as `weft serve` where there is no display)
# make test   what each change has to pass
# make deep   what is beyond make test: random steps, system tests with the race detector, rare sizes, each component in the dark and in high
#             contrast, whole stories, and most of what only the window has; CI runs it too
# make check  what a small change needs, in a minute or two (BASE=… sets what to compare with)
# make build  build/bin/weft
# make gallery-accept  takes over how the pictures of the gallery look now (docs/where.md)
# make pictures  takes the pictures and the recording of the README (needs ffmpeg)
# make bench  the table of ratios in docs/numbers.md
# make house  counts what shows how the code is built: packages, seams, long lines, comments, folders per commit
# make packages  deb, rpm, Arch Linux, apk and tar.gz of this machine's architecture, and zip and installer for Windows, in build/bin/packages
# make check-packages  installs them in a clean root, among other checks (build/packages/check.sh says what it needs)
# make check-windows  builds Weft for Windows and checks it under Wine (build/windows/check.sh says what it needs)
# make macos  Weft.app in a disk image, on a Mac (build/macos/build.sh says what it needs; it was never run yet)
# make fmt    format all code
# make generate  the types of the frontend and the tables of docs/api.md, from the Go types
# make help   this

SHELL       := bash
.SHELLFLAGS := -eu -o pipefail -c
BIN         := build/bin/weft
# What ships, in one folder wherever Weft is installed, and where the source of each program is.
PROGRAMS    := weft weft-supervise weft-agent
SOURCE_weft := .
SOURCE_weft-supervise := ./backend/agent/weft-supervise
SOURCE_weft-agent := ./backend/builtin/weft-agent
VERSION     := $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TAGS        := desktop,production,webkit2_41
# Where Weft looks for updates, and the public key that they are signed with (decision 0051). Without both it doesn't look for them.
UPDATE_ADDRESS ?=
UPDATE_KEY  ?=
LDFLAGS     := -s -w -X main.version=$(VERSION) -X weft/backend/desktop/update.address=$(UPDATE_ADDRESS) -X weft/backend/desktop/update.key=$(UPDATE_KEY)
# The window's program lies at another address at each start, and its tables are read-only then (decision 0047). On arm64 today's linkers can't pack the
# addresses that this needs, and the program would be a tenth larger.
ifeq ($(shell go env GOOS)/$(shell go env GOARCH),linux/amd64)
HARDEN_MODE := -buildmode=pie
HARDEN_LINK := -extldflags=-Wl,-z,relro,-z,now,-z,pack-relative-relocs
endif
# Go's tools and the tests take a fifth less of a processor when their heaps are collected less often.
LESS_GC     := env GOGC=400
LINT        := $(LESS_GC) go run github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0
NPM         := npm --prefix frontend
MODULES     := frontend/node_modules/.package-lock.json
DIST        := frontend/dist/index.html
# The licenses of everything of others that ships: for the app, and as text for packages.
NOTICES     := frontend/dist/notices.json.gz build/bin/THIRD-PARTY-NOTICES.txt
FRONTEND    := $(shell find frontend/src frontend/public frontend/index.html frontend/vite.config.ts -type f 2>/dev/null)
# What the checks of the page alone read: like go test, make test runs them again only once one of these has changed.
PAGE        := $(shell find frontend -type f -not -path '*/node_modules/*' -not -path 'frontend/dist/*' -not -path 'frontend/test-results/*' -not -name parts.json) \
               $(shell find backend -name '*.json' -o -name '*.jsonl' -o -path '*/statusword/*.go') $(wildcard docs/*.md *.md)
PAGE_CHECKED := build/bin/.page-checked
GALLERY_CHECKED := build/bin/.gallery-checked-$(shell chromium --version 2>/dev/null | tr -dc '0-9.')
SETUP_RUN   := build/bin/.setup-run
SETUP_TEST  := build/bin/.setup-test

# Clones and worktrees share what Go has compiled.
export GOFLAGS := -trimpath $(GOFLAGS)

.PHONY: packages macos check-packages check-windows windows-programs print-programs run gallery-accept pictures test deep check build bench house generate fmt lint help clean check-go check-system check-frontend check-fold check-e2e check-gallery gallery-deep check-window deep-go

run: build
	@if [ "$$(uname -s)" != Linux ] || [ -n "$${DISPLAY:-}$${WAYLAND_DISPLAY:-}" ]; then exec ./$(BIN); \
	else echo "There is no display here, so Weft is served for a browser."; exec ./$(BIN) serve; fi

# Without what Go would write into a program about the repository: a clone and an archive of the source give the same bytes.
build: $(SETUP_RUN) $(DIST) $(NOTICES)
	$(LESS_GC) go build -trimpath -buildvcs=false -ldflags '-s -w' -o build/bin/ $(foreach p,$(filter-out weft,$(PROGRAMS)),$(SOURCE_$p))
	$(LESS_GC) CGO_ENABLED=1 go build -trimpath -buildvcs=false -tags $(TAGS) $(HARDEN_MODE) -ldflags '$(LDFLAGS) $(HARDEN_LINK)' -o $(BIN) .

$(NOTICES) &: $(DIST) go.mod go.sum $(wildcard build/notices/*.go)
	go run ./build/notices -tags $(TAGS) -json $(firstword $(NOTICES)) -text $(lastword $(NOTICES)) $(foreach p,$(PROGRAMS),$(SOURCE_$p))

packages: build $(if $(shell command -v makensis),windows-programs)
	build/packages/build.sh $(PROGRAMS)

check-packages:
	build/packages/check.sh

windows-programs: $(DIST) $(NOTICES)
	VERSION='$(VERSION)' UPDATE_ADDRESS='$(UPDATE_ADDRESS)' UPDATE_KEY='$(UPDATE_KEY)' build/windows/build.sh build/bin/windows $(foreach p,$(PROGRAMS),$p=$(SOURCE_$p))

macos: $(SETUP_RUN) $(DIST) $(NOTICES)
	VERSION='$(VERSION)' UPDATE_ADDRESS='$(UPDATE_ADDRESS)' UPDATE_KEY='$(UPDATE_KEY)' build/macos/build.sh $(foreach p,$(PROGRAMS),$p=$(SOURCE_$p))

check-windows: windows-programs
	build/windows/check.sh

print-programs:
	@echo $(PROGRAMS)

# Two lanes, because each keeps a processor busy: with four beside each other on two, what took a second took twenty, and the guards of tests fired.
# The browser comes first: a page that waits for a processor looks like one that does nothing.
test: $(SETUP_TEST) build
	@build/together.sh go 'nice -n 10 $(MAKE) -k --no-print-directory lint check-go check-system' \
		page '$(MAKE) -k --no-print-directory check-frontend check-fold check-e2e check-gallery check-window'
	@echo "All checks passed."

check:
	@LINT="$(LINT)" build/check.sh $(BASE)

$(SETUP_RUN): build/setup.sh
	@build/setup.sh run && mkdir -p build/bin && touch $@

$(SETUP_TEST): build/setup.sh
	@build/setup.sh test && mkdir -p build/bin && touch $@ $(SETUP_RUN)

$(MODULES): frontend/package.json frontend/package-lock.json
	PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD=1 $(NPM) ci --no-fund --no-audit
	@touch $@

$(DIST): $(MODULES) $(FRONTEND)
	$(NPM) run build

check-frontend: $(PAGE_CHECKED)

$(PAGE_CHECKED): $(DIST) $(PAGE)
	$(NPM) run lint
	$(NPM) run typecheck
	$(NPM) test
	@touch $@

check-gallery: $(GALLERY_CHECKED)

$(GALLERY_CHECKED): $(DIST) $(PAGE)
	$(NPM) run test:gallery
	@touch $@

# SQLite is C that was translated to Go, and takes five times as long with the detector, which has nothing to find in it.
# Without GORACE each process of a test, also those of agents, sleeps for a second before it exits. lint has vetted already, and nothing reads
# the debug information. Tests with random steps take a tenth of them with the detector (backend/base/raced); make deep takes them all.
RACE := $(LESS_GC) GORACE=atexit_sleep_ms=0 go test -race -gcflags=modernc.org/...=-race=false -vet=off -ldflags=-w -timeout 30m

check-go:
	$(RACE) $$(go list ./... | grep -v -e /systemtest$$ -e /docs$$)
	go test -vet=off ./backend/space/runs -run TestSimulation -v -args -histories 20000

# What Weft's programs do together. With the detector it costs several times as much, so that is in make deep.
check-system:
	$(LESS_GC) go test -short -vet=off -timeout 30m ./backend/systemtest ./docs
	go test -vet=off ./backend/systemtest -run TestLongLinesStayBounded

deep: $(SETUP_TEST) build
	@build/together.sh go 'nice -n 10 $(MAKE) --no-print-directory deep-go' \
		page 'export WEFT_DEEP=1; $(MAKE) -k --no-print-directory check-e2e gallery-deep check-window'

deep-go:
	$(LESS_GC) go test -timeout 30m $$(grep -rl --include='*_test.go' --exclude-dir=systemtest weft/backend/base/raced backend | xargs -n1 dirname | sort -u | sed 's|^|./|')
	$(RACE) ./backend/systemtest
	go test -timeout 30m ./backend/systemtest -run TestAdversary
	go test -vet=off -timeout 30m ./backend/space/runs -run TestSimulation -v -args -histories 100000 -faults

lint:
	$(LINT) run ./...

# The same random events through the Go fold and the TypeScript fold.
check-fold: $(MODULES)
	@dir=$$(mktemp -d) && trap 'rm -rf "$$dir"' EXIT && \
	go test ./backend/conversation/transcript -run TestWriteSequences -count=1 -args -sequences="$$dir" && \
	WEFT_SEQUENCES="$$dir" $(NPM) run test:fold

check-e2e: build
	$(NPM) run test:e2e

gallery-deep: $(DIST)
	$(NPM) run test:gallery

gallery-accept: build
	$(NPM) run gallery:accept

check-window: build
	$(NPM) run test:window

bench: build
	go run ./build/bench

house:
	go run ./build/house

# A test of build/contract fails until this has been run after a change of a command, an answer or an event.
generate:
	go run ./build/contract/generate

pictures: build
	cd frontend && WEFT_DEEP=all WEFT_README=1 npx playwright test e2e/deep/readme.spec.ts
	ffmpeg -v error -y -framerate 9 -i docs/images/frames/%03d.png -loop 0 -quality 60 docs/images/turn.webp
	rm -r docs/images/frames

fmt: $(MODULES)
	$(LINT) fmt ./...
	$(NPM) run format

clean:
	rm -rf build/bin frontend/dist frontend/parts.json frontend/node_modules

help:
	@sed -n 's/^# //p' Makefile | head -17
