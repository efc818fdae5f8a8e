# The only commands to remember. Each does the set-up that it needs, inside this folder.

PYTHON ?= python3
VENV   ?= .venv
KERNEL ?= 6.1
COUNT  ?= 20000
FLIPS  ?= 1000
BIN    := $(VENV)/bin
AGENT  := python/dumbbell/agent/dumbbell-agent
AGENT_TARGET  := x86_64-unknown-linux-gnu
AGENT_SOURCES := Cargo.lock $(shell find crates/agent crates/pcap crates/run crates/units -type f)
SOURCES := Cargo.toml $(wildcard Cargo.lock) pyproject.toml $(shell find crates -type f)
WEB     := target/web/web.wasm
PAGE    := python/dumbbell/explorer/explorer.html
WEB_SOURCES := Cargo.toml Cargo.lock $(shell find crates/web crates/spec crates/sim crates/cc crates/run crates/units crates/identity crates/py/build.rs -type f)

# One interpreter for everything that cargo builds, so that nothing is built twice.
export PYO3_PYTHON := $(abspath $(BIN)/python)

# Every process of the tests would compile the package anew.
unexport PYTHONDONTWRITEBYTECODE

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.PHONY: help build demo test test-rust test-python test-paces test-long test-explorer fuzz fuzz-specs fuzz-captures captures lint lint-rust lint-python check \
        check-rust check-python check-forecasts check-answers check-speed bench bench-peers bench-explorer tools browsers kernel agent-aarch64 check-aarch64 explorer explorer-pictures \
        validation validation-bbr3 grid grid-linux mishra suites suites-linux figures answers docs docs-outputs wheel wheel-trained wheel-elsewhere lock audit clean

# Of several parts at once: each part's output in one piece, where make can (that of macOS cannot); no line about folders.
PARTS := $(MAKE) --no-print-directory --jobs 2 $(if $(filter output-sync,$(.FEATURES)),--output-sync=target)

# Outside of make's job server, whose pipes no recipe has: cargo, and the make that builds a kernel, would warn of it.
ALONE := env -u MAKEFLAGS -u MFLAGS

# What the tests leave for the sentence in which `make test` ends.
TALLY ?= out/tests

help: ## This list
	@awk -F ':.*## ' '/^[a-z0-9-]+:.*## / { printf "make %-12s %s\n", $$1, $$2 }' $(MAKEFILE_LIST)

build: $(VENV)/.built $(AGENT) ## .venv/bin/dumbbell, release profile; quick when nothing changed

demo: build ## A published study in a minute: claims judged, figures and a report in out/claypool2019
	$(BIN)/dumbbell study run claypool2019 --experiments figure4b,figure7,figure10 --seeds 3 --out out/claypool2019

test: build ## The tests, minutes; those of the engine `linux` where a kernel can be built, of `netns` as root with `make tools`
	@$(MAKE) --no-print-directory kernel || echo "no kernel: the engine linux is not tested" >&2
	@rm -rf $(TALLY)
	+@$(PARTS) test-rust test-python; status=$$?; $(BIN)/python tests/support/tally.py $(TALLY); exit $$status

test-rust:
	@mkdir -p $(TALLY)
	@$(ALONE) cargo test --workspace --quiet >$(TALLY)/rust.txt 2>&1; status=$$?; cat $(TALLY)/rust.txt; exit $$status

test-python:
	@$(ALONE) $(BIN)/python -m pytest -q -n auto -m "not long" --junitxml $(TALLY)/python.xml

test-explorer: build $(VENV)/.explorer ## The tests of the page: beside the package in node, and in browsers
	@$(MAKE) --no-print-directory browsers || echo "no browser or no node: what needs them is not tested" >&2
	@$(MAKE) --no-print-directory explorer || echo "no page: it is not tested" >&2
	$(ALONE) $(BIN)/python -m pytest -q -n auto explorer/tests

test-paces: build ## `make test` on a machine of half and of twice the pace, three times each, an hour; goes on where stopped; PACE=half, TIMES=1
	$(BIN)/python tests/support/paces.py out/paces $(PACE) $(or $(TIMES),3)

test-long: build ## What `make test` leaves out: kills, bit flips, the wheel in an environment of its own, long documents and studies, checked sums
	$(ALONE) $(BIN)/python -m pytest -q -n auto -m long

fuzz: build ## Broken files of every kind that commands read, 20,000 of each, and 1,000 broken stores, of a seed that is printed; COUNT=N, FLIPS=N, SEED=N
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')) && export DUMBBELL_FUZZ_SEED=$$seed && \
		echo "seed $$seed, $(COUNT) of each kind, $(FLIPS) stores" && \
		DUMBBELL_FUZZ=$(COUNT) $(BIN)/python -m pytest -q -n auto --dist=load tests/fuzz && \
		DUMBBELL_FUZZ=$(FLIPS) $(BIN)/python -m pytest -q -n auto --dist=load tests/results/test_damage.py

fuzz-specs: ## Ten million broken specs, read and resolved, of a seed that is printed, half an hour; SPECS=N, SEED=N
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')) && echo "seed $$seed, $(or $(SPECS),10000000) specs" && \
		DUMBBELL_FUZZ_SEED=$$seed DUMBBELL_FUZZ_SPECS=$(or $(SPECS),10000000) $(ALONE) cargo test --release -p spec --test fuzz

fuzz-captures: ## Ten million broken captures, read and analysed, of a seed that is printed, five minutes; CAPTURES=N, SEED=N
	@seed=$(or $(SEED),$$(od -An -N4 -tu4 /dev/urandom | tr -d ' ')) && echo "seed $$seed, $(or $(CAPTURES),10000000) captures" && \
		DUMBBELL_FUZZ_SEED=$$seed DUMBBELL_FUZZ_CAPTURES=$(or $(CAPTURES),10000000) $(ALONE) cargo test --release -p pcap --test broken

captures: build ## Some 800 captures of others, from Debian's source packages by apt, into the cache; compares all with tshark, ten minutes
	folder=$$($(BIN)/python tests/support/othercaptures.py) && \
		DUMBBELL_CAPTURES=$$folder $(ALONE) cargo test --release -p pcap --test captures folder

lint: lint-rust lint-python ## Formatting, lints and types

lint-rust: $(VENV)/.installed
	cargo fmt --all --check
	$(ALONE) cargo clippy --workspace --all-targets --quiet -- -D warnings

lint-python: $(VENV)/.installed
	$(BIN)/ruff format --check --quiet
	$(BIN)/ruff check --no-cache --quiet
	$(BIN)/mypy

check: build ## Formatting, lints, types and the quick tests
	+@$(PARTS) lint-rust lint-python check-rust check-python

check-rust:
	$(ALONE) cargo test --workspace --lib --quiet

check-python:
	$(ALONE) $(BIN)/python -m pytest -q -n auto -m "not slow and not long"

bench: build ## Speed of both engines, data packets a second on one core; ns of an event, an ACK's SACK blocks, a spec; packets of a capture, and what capturing costs; of Cao et al.'s grid, runs a second on all
	$(ALONE) cargo bench -p sim -p spec -p pcap
	$(BIN)/python bench/kernel/speed.py
	$(BIN)/python bench/captures.py
	$(BIN)/python bench/grid.py

check-speed: $(VENV)/.installed ## Whether the simulator is slower than a commit's, in turns: 1 where a row is by more than 3 %; BASE=HEAD, ROUNDS=9
	$(ALONE) $(BIN)/python bench/speed_check.py --base $(or $(BASE),HEAD) --rounds $(or $(ROUNDS),9)

check-answers: build ## 200 random questions to `advise`: whether each sentence is true of its table, ten minutes; QUESTIONS=n, SEED=n
	ADVICE_QUESTIONS=$(or $(QUESTIONS),200) ADVICE_SEED=$(or $(SEED),1) $(BIN)/pytest -q -n 2 tests/advice/test_answers.py

check-forecasts: build ## `check` on 2,000 random specs, and 350 of them run: hours, goes on where stopped; SPECS=n, SEED=n, ENGINE=linux
	PYTHONPATH=tests/support $(BIN)/python bench/forecasts.py --specs $(or $(SPECS),2000) --seed $(or $(SEED),1) --engine $(or $(ENGINE),sim)

bench-explorer: explorer browsers $(VENV)/.explorer ## The page: from a change to its picture, a map, the first picture, its size; each with its bar
	$(BIN)/python bench/explorer.py

bench-peers: build ## The same work on ns-3 and ns-2, and the ratios; HTSIM=DIR: on that checkout of csg-htsim, too
	$(BIN)/python bench/peers/peers.py $(if $(HTSIM),--htsim $(HTSIM))

# Debian's packages of what tests have run on the engine `netns` and behind SSH, by a command of each.
TOOLS := ip:iproute2 ethtool:ethtool nsenter:util-linux sysctl:procps iperf3:iperf3 nc:netcat-openbsd ffmpeg:ffmpeg tcpdump:tcpdump tshark:tshark ssh:openssh-client sshd:openssh-server

# What tests of the page run.
BROWSERS := chromium:chromium firefox-esr:firefox-esr node:nodejs

tools: PROGRAMS := $(TOOLS)
tools: ## Programs that tests of the engine `netns` and of hosts behind SSH run (iperf3, netcat, sshd and others), from Debian; needs root

browsers: PROGRAMS := $(BROWSERS)
browsers: ## Chromium, Firefox and node, for the tests of the explorer, from Debian; needs root

tools browsers:
	@missing=; for program in $(PROGRAMS); do \
		command -v "$${program%%:*}" >/dev/null || missing="$$missing $${program#*:}"; \
	done; \
	if [ -n "$$missing" ]; then \
		install="env DEBIAN_FRONTEND=noninteractive apt-get install --yes --quiet --no-install-recommends"; \
		$$install $$missing || { apt-get update --quiet && $$install $$missing; }; \
	fi

kernel: build ## Linux for the engine `linux`, three minutes, once; KERNEL=6.12 or 7.3 for another
	@missing=$$($(BIN)/dumbbell kernel build $(KERNEL) --packages) && if [ -n "$$missing" ] && [ "$$(id -u)" = 0 ] \
		&& command -v apt-get >/dev/null; then \
		install="apt-get install --yes --quiet --no-install-recommends"; \
		$$install $$missing || { apt-get update --quiet && $$install $$missing; }; \
	fi
	$(ALONE) $(BIN)/dumbbell kernel build $(KERNEL)

explorer: build $(WEB) ## The simulator in a page, dist/explorer.html, which `dumbbell explore` opens; needs the compiler's WebAssembly target, or Debian's packages
	$(BIN)/python -m dumbbell.explorer explorer $(WEB) dist/explorer.html $(PAGE)

$(WEB): explorer/build.sh $(WEB_SOURCES)
	$(ALONE) bash explorer/build.sh $@

validation: build ## How far engines can be trusted: docs/validation.md; hours, goes on where stopped; STRATUM=fq (hosts): that part
	$(BIN)/python -m dev validation --out out/validation --docs docs $(foreach part,$(STRATUM),--only $(part))

OF_BBR3 := bbr3 bbr3_short bbr3_deep bbr3_many bbr3_rtts bbr3_ecn bbr3_curves bbr3-mutants cardwell2026

validation-bbr3: build ## Version 3 of BBR beside a kernel that has it, of SOURCE=TREE (docs/how-to/test-a-kernel-patch.md); an hour, goes on where stopped
	$(BIN)/dumbbell kernel build --source $(or $(SOURCE),$(error SOURCE=TREE: the patched tree)) --name bbr3
	$(MAKE) --no-print-directory validation STRATUM="$(OF_BBR3)"

# What is there already is not run again: the same command goes on after Ctrl-C, a kill or a crash.
GRID := study run cao2019 --experiments grid,grid_cubic --variants bbr

grid: build ## Cao et al.'s 320 cells, BBR and CUBIC, five seeds: 3,200 runs of 60 s on the simulator, minutes, into out/grid
	$(BIN)/dumbbell $(GRID) --out out/grid

grid-linux: build ## The same 640 runs with one seed on Linux's own TCP, an hour; goes on where stopped, into out/grid
	$(BIN)/dumbbell $(GRID) --out out/grid --engine linux --seeds 1

SUITES := rfc9743 tcpeval nsperf rfc7928 rfc8867 l4s picoquic

MISHRA := python/dumbbell/studies/mishra2022
POINTS := shares together beyond

mishra: build ## 2,744 points of fifty flows on real hosts, and the simulator beside each: minutes, into out/mishra2022; goes on where stopped
	$(BIN)/dumbbell study run mishra2022 --out out/mishra2022
	@for points in $(POINTS); do \
		$(BIN)/dumbbell agree $(MISHRA)/$$points.toml --measured $(MISHRA)/$$points.csv --engines sim --out out/mishra2022/store || exit 1; \
	done

FIGURES := borgli2017/figure2 cao2019/figure4 cao2019/figure5a claypool2019/figure7 claypool2019_proposals/alone \
           giordano2019/dual2 zhang2024/slow_start

suites: build ## Seven suites of scenarios for BBR, BBR version 3, CUBIC and Reno on the simulator, a quarter of an hour; pages in out/suites, docs/suites.md; goes on where stopped
	@mkdir -p out/suites
	@for suite in $(SUITES); do \
		$(BIN)/dumbbell suite run $$suite --cc bbr,bbr3,cubic,reno --out out/suites/$$suite --json > out/suites/$$suite.json || test $$? = 1 || exit 1; \
	done
	$(BIN)/python docs/site/suites.py out/suites > out/suites.md && mv out/suites.md docs/suites.md

suites-linux: build ## The short form of each scenario for BBR on Linux 7.3 (make kernel KERNEL=7.3), ten minutes: whether it runs there; goes on where stopped
	@mkdir -p out/suites
	@for suite in $(SUITES); do \
		$(BIN)/dumbbell suite run $$suite --short --engine linux:7.3 --out out/suites/$$suite-linux --json > out/suites/$$suite-linux.json || test $$? = 1 || exit 1; \
	done

figures: build ## docs/figures, from the records in docs/validation and the studies' runs in out/, which must be there
	$(BIN)/python -m dev validation --page
	PYTHONPATH=. $(BIN)/python docs/site/opening_figure.py
	@for figure in $(FIGURES); do \
		study=$${figure%/*}; \
		$(BIN)/dumbbell study figures $$study --out out/$$study >/dev/null && mkdir -p docs/figures/$$study \
			&& cp out/$$study/figures/sim/$${figure#*/}.svg docs/figures/$$study/ || exit 1; \
	done

answers: build ## docs/answers: when to use BBR with its record and maps, twelve questions, those of the studies, anew: minutes
	$(BIN)/python docs/site/when_to_use_bbr.py
	$(BIN)/python docs/site/questions_of_people.py
	$(BIN)/python docs/site/study_advice.py

docs: build $(VENV)/.docs ## The documentation as a site, dist/docs/index.html; needs no network once its packages are there
	$(BIN)/sphinx-build --quiet --fail-on-warning --keep-going -c docs/site -d dist/.doctrees docs dist/docs
	$(BIN)/python docs/site/site_links.py dist/docs

explorer-pictures: explorer $(VENV)/.explorer ## docs/figures/explorer, from the page in Chromium, anew: look at what changed
	$(BIN)/python docs/site/explorer_pictures.py

docs-outputs: build ## The outputs and pictures in the documentation, its spec.md and cli.md, and the types of a spec's words, anew: look at what changed
	$(BIN)/python docs/site/spec_catalogue.py > out/catalogue.toml && mv out/catalogue.toml crates/spec/src/catalogue.toml
	$(BIN)/python docs/site/spec_reference.py > docs/spec.md
	$(BIN)/python docs/site/cli_reference.py > docs/cli.md
	$(BIN)/python docs/site/fields_stub.py > python/dumbbell/spec/fields.pyi
	$(BIN)/python -m pytest -q --snapshot-update tests/docs/test_documents.py

wheel: build ## dist/*.whl, one for every Python >= 3.11 of this platform; with the explorer's page where that can be built
	@$(MAKE) --no-print-directory explorer || { rm -f $(PAGE); echo "no page: the wheel's \`dumbbell explore\` has none to open" >&2; }
	$(ALONE) $(BIN)/maturin build --release --quiet --out dist

wheel-trained: build ## The same wheel with the simulator compiled by a profile of its runs, and how much faster it is, ten minutes; needs llvm-profdata
	@$(MAKE) --no-print-directory explorer || { rm -f $(PAGE); echo "no page: the wheel's \`dumbbell explore\` has none to open" >&2; }
	$(ALONE) $(BIN)/python bench/trained_wheel.py --out dist

wheel-elsewhere: wheel ## The wheel and the sdist in a clean root of another Debian: pip, the README's experiment, the page; minutes; needs root, debootstrap
	$(ALONE) $(BIN)/maturin sdist --out dist
	bash tests/support/clean_root.sh "$$(ls -t dist/*.whl | head -1)" "$$(ls -t dist/*.tar.gz | head -1)"

# Versions that are written down already stay, unless UPGRADE=--upgrade says otherwise.
LOCK := uv pip compile --universal --python-version 3.11 --generate-hashes --quiet --custom-compile-command "make lock" $(UPGRADE)

lock: $(VENV)/.installed ## requirements.lock and those of docs and explorer, from pyproject.toml, with hashes; UPGRADE=--upgrade: the newest versions
	$(BIN)/$(LOCK) --extra trees --group develop pyproject.toml --output-file requirements.lock
	$(BIN)/$(LOCK) --group docs --constraint requirements.lock --output-file docs/requirements.lock
	$(BIN)/$(LOCK) --group explorer --constraint requirements.lock --output-file explorer/requirements.lock

audit: ## Known faults of the packages in the locks, by services on the network; cargo-audit and uv must be there
	@for lock in requirements.lock docs/requirements.lock explorer/requirements.lock; do \
		uv tool run pip-audit --disable-pip --require-hashes --requirement $$lock || exit 1; \
	done
	cargo audit

clean: ## Removes all that the other commands made
	rm -rf $(VENV) target dist .mypy_cache .pytest_cache .ruff_cache .hypothesis python/dumbbell/_core*.so python/dumbbell/agent $(PAGE)
	find python dev tests examples bench -name __pycache__ -type d -prune -exec rm -rf {} +

# What a lock has, by uv in a tenth of pip's time; by pip where uv cannot, for pip alone knows the mirrors of pip's settings.
PIP     := $(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes --requirement
INSTALL  = VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/uv pip install --quiet --require-hashes --requirement $(1) || $(PIP) $(1)

$(VENV)/.installed: requirements.lock
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dumbbell needs Python 3.11 or later")'
	$(PYTHON) -m venv $(VENV)
	@sed -n '/^uv==/,/[^\\]$$/p' requirements.lock >$(VENV)/uv.lock
	$(PIP) $(VENV)/uv.lock
	$(call INSTALL,requirements.lock)
	@touch $@

# Only `make docs` needs these.
$(VENV)/.docs: docs/requirements.lock $(VENV)/.installed
	$(call INSTALL,docs/requirements.lock)
	@touch $@

# Only `make test-explorer` needs these.
$(VENV)/.explorer: explorer/requirements.lock $(VENV)/.installed
	$(call INSTALL,explorer/requirements.lock)
	@touch $@

$(VENV)/.built: $(VENV)/.installed $(SOURCES)
	$(ALONE) -u CONDA_PREFIX PIP_QUIET=1 VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --release --quiet
	@touch $@

# Debian's compiler for that architecture builds what is C, and links.
AARCH64 := aarch64-unknown-linux-gnu
FOR_AARCH64 = CC_aarch64_unknown_linux_gnu=aarch64-linux-gnu-gcc CARGO_TARGET_AARCH64_UNKNOWN_LINUX_GNU_LINKER=aarch64-linux-gnu-gcc $(ALONE)

# For hosts behind SSH.
agent-aarch64: $(AGENT_SOURCES) ## The agent for hosts of another architecture, a Raspberry Pi; needs rustup and gcc-aarch64-linux-gnu
	@mkdir -p $(dir $(AGENT))
	rustup --quiet target add $(AARCH64)
	$(FOR_AARCH64) RUSTFLAGS="-C target-feature=+crt-static -C strip=symbols" cargo build --release --quiet --package agent \
		--target $(AARCH64) --target-dir target/agent
	cp target/agent/$(AARCH64)/release/dumbbell-agent $(AGENT)-aarch64

# Static, so that the emulator needs no libraries of that architecture.
check-aarch64: ## Whether the simulator gives the same bytes on aarch64, emulated, in 1,116 runs; EVERY=30: in the first of each 30; needs gcc-aarch64-linux-gnu, qemu-user-static
	@mkdir -p out/fingerprints
	rustup --quiet target add $(AARCH64)
	$(ALONE) cargo build --release --quiet --package sim --example fingerprints
	$(FOR_AARCH64) RUSTFLAGS="-C target-feature=+crt-static" cargo build --release --quiet --package sim --example fingerprints \
		--target $(AARCH64)
	target/release/examples/fingerprints $(EVERY) >out/fingerprints/here
	qemu-aarch64-static target/$(AARCH64)/release/examples/fingerprints $(EVERY) >out/fingerprints/aarch64
	@diff out/fingerprints/here out/fingerprints/aarch64
	@echo "the same bytes in $$(wc -l <out/fingerprints/aarch64) runs"

# Static, because it is the only program inside of a guest. Where it cannot be made there is no engine `linux`.
$(AGENT): $(AGENT_SOURCES)
	@mkdir -p $(@D)
	@if [ "$$(uname -sm)" != "Linux x86_64" ]; then \
		echo "no agent: the engine linux needs x86-64 Linux" >&2; \
	elif ! echo 'int main(void) { return 0; }' | cc -static -x c -o /dev/null - 2>/dev/null; then \
		echo "no agent: the C compiler has no static library (Debian: libc6-dev, Fedora: glibc-static)" >&2; \
	else \
		RUSTFLAGS="-C target-feature=+crt-static -C strip=symbols" $(ALONE) cargo build --release --quiet --package agent \
			--target $(AGENT_TARGET) --target-dir target/agent && \
		cp target/agent/$(AGENT_TARGET)/release/dumbbell-agent $@; \
	fi
