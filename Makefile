# Checks and shortcuts. `make test` is the one that counts: it installs what it
# needs on Debian, runs every check, and closes with a list of what ran.

SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c
.ONESHELL:
.NOTPARALLEL:
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

CARGO ?= cargo
TARGET := $(abspath $(or $(CARGO_TARGET_DIR),target))
HAYWARD := $(TARGET)/debug/hayward
LOGS := $(TARGET)/checks

# Tools that are not part of the checkout, kept by version.
HAYWARD_CACHE ?= $(HOME)/.cache/hayward
DENY_VERSION := 0.20.2
DENY := $(HAYWARD_CACHE)/cargo-deny-$(DENY_VERSION)/bin/cargo-deny

# The models of this repository: the library, and the fleets.
MODELS := lib fleets/commons fleets/starter

.PHONY: help build test tools format lint unit witnesses deny advisories docs demo bench editors fuzz

help: ## Show this list
	@awk -F ':.*## ' '/^[a-z]+:.*## / { printf "  make %-11s %s\n", $$1, $$2 }' $(firstword $(MAKEFILE_LIST))

build: tools ## Build the program, optimised
	@$(CARGO) build --release --locked
	echo "built: $(TARGET)/release/hayward"

demo: ## Show the main job on a fleet of four directory trees
	@$(CARGO) run --release --locked -- demo

# Figures want a quiet machine; see benches/README.md.
bench: build ## Compare with other languages (after benches/peers/install)
	@$(CARGO) run --release --locked --package hayward-benches -- run

# A find is made small and kept: fuzz/README.md.
fuzz: ## Try damaged and generated models until one breaks (SEED=, CASES=, CASE=)
	@$(CARGO) run --profile fuzz --locked --quiet --package dag-fuzz --bin explore -- \
		$(if $(SEED),--seed $(SEED)) $(if $(CASES),--cases $(CASES)) $(if $(CASE),--case $(CASE))

# Closes with what ran, from the logs; not reached if a check fails, not even by `make -k`.
test: tools format lint unit witnesses deny docs ## Run every check
	@passed=$$(awk '/^test result:/ { n += $$4 } END { print n + 0 }' $(LOGS)/unit)
	ignored=$$(awk '/^test result:/ { n += $$8 } END { print n + 0 }' $(LOGS)/unit)
	not_run=$$(grep -h '^NOT RUN: ' $(LOGS)/unit | sort -u || true)
	echo
	echo "make test: all of this ran and passed"
	echo "  format      cargo fmt"
	echo "  lint        cargo clippy, all targets, no warnings"
	echo "  unit        $$passed tests of cargo test"
	echo "  witnesses   $$(tail -n 1 $(LOGS)/witnesses) ($(MODELS))"
	echo "  deny        licences, bans and sources of the dependencies"
	echo "  docs        cargo doc, no warnings"
	echo "make test: this did not run"
	echo "  advisories  \`make advisories\` runs it; it fetches a database from the network"
	echo "  editors     \`make editors\` runs it; it fetches packages of npm"
	(( ignored == 0 )) || echo "  ignored     $$ignored tests are marked as ignored"
	[[ -z $$not_run ]] || sed 's/^NOT RUN: /  not run     /' <<<"$$not_run"

# A C compiler for SQLite, git for revisions and for advisories, systemd for
# `systemd-analyze`, which our reading of unit files is compared with, Neovim,
# which drives the language server, and a reader of YAML 1.1, which reads back what
# we write.
tools: ## Install what the checks need (as root), or say what is missing
	@missing=()
	if ! printf '#include <stdio.h>\nint main(void) { return 0; }\n' | cc -x c -o /dev/null - 2>/dev/null; then
		missing+=(gcc libc6-dev)
	fi
	command -v git >/dev/null || missing+=(git)
	command -v systemd-analyze >/dev/null || missing+=(systemd)
	command -v nvim >/dev/null || missing+=(neovim)
	python3 -c 'import yaml' 2>/dev/null || missing+=(python3-yaml)
	if (( $${#missing[@]} )); then
		if (( EUID != 0 )) || ! command -v apt-get >/dev/null; then
			echo "missing: $${missing[*]} (the names of Debian's packages); install them as root" >&2
			exit 1
		fi
		apt-get update -qq
		DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$${missing[@]}"
	fi
	for tool in "" fmt clippy; do
		if ! $(CARGO) $$tool --version >/dev/null 2>&1; then
			echo "missing: \`cargo $$tool\`; install the stable Rust toolchain with rustfmt and clippy" >&2
			exit 1
		fi
	done

format: ## Check the formatting
	@$(CARGO) fmt --all --check

lint: ## Run clippy over all targets; a warning is an error
	@$(CARGO) clippy --workspace --all-targets --locked -- -D warnings

# A test that cannot run where it is says so in a line `NOT RUN: …`; its output
# is shown although it passes, and the report repeats the line.
unit: ## Run all cargo tests
	@mkdir -p $(LOGS)
	if (( EUID != 0 )); then
		echo "note: tests that mount a file system need root and will fail" >&2
	fi
	$(CARGO) test --workspace --locked --no-fail-fast -- --show-output 2>&1 | tee $(LOGS)/unit

witnesses: ## Check the models and run their witnesses with the built program
	@mkdir -p $(LOGS)
	$(CARGO) build --locked --package hayward
	$(HAYWARD) check $(MODELS)
	$(HAYWARD) fmt --check $(MODELS)
	for fleet in fleets/*/; do
		(cd "$$fleet" && $(HAYWARD) check && $(HAYWARD) test)
	done
	$(HAYWARD) test $(MODELS) | tee $(LOGS)/witnesses

$(DENY):
	@echo "building cargo-deny $(DENY_VERSION), once for $(HAYWARD_CACHE)"
	env -u CARGO_TARGET_DIR CARGO_PROFILE_DEV_DEBUG=false timeout 30m $(CARGO) install --locked --debug --quiet \
		--version $(DENY_VERSION) --root $(HAYWARD_CACHE)/cargo-deny-$(DENY_VERSION) cargo-deny

deny: $(DENY) ## Check the dependencies' licences, bans and sources
	@$(DENY) --locked check licenses bans sources

advisories: $(DENY) ## Check the dependencies for known faults; needs the network
	@$(DENY) --locked check advisories

editors: ## Test and package the extension for VS Code; needs npm and the network
	@cd editors/vscode
	npm ci --no-audit --no-fund
	npm test
	npm run package

# Private items too: these crates are not published, and the head of a room points into it.
docs: ## Build the documentation; a warning is an error
	@RUSTDOCFLAGS="-D warnings -A rustdoc::private_intra_doc_links" $(CARGO) doc --workspace --no-deps --document-private-items --locked
