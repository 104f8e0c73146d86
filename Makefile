# The targets say what they do: make help.
SHELL := /bin/bash

# Imports that Package.swift does not declare fail here, not on the next clean checkout.
CHECK := --explicit-target-dependency-import-check error
SWIFT_FILES := Package.swift Sources Tests benchmarks examples
ARGS ?=
TARGET ?= json

.DEFAULT_GOAL := help
.PHONY: release-program help deps build demo cluster-demo sbom image image-test test smoke clients contract-test test-web live bench bench-scale soak simulate fuzz lint openapi format test-threads test-release test-all clean

help: ## prints this list
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST) | expand -t 14

deps: ## installs the Debian packages that are missing
	@scripts/deps

build: deps ## builds everything for debugging
	swift build $(CHECK)

demo: deps ## builds and runs server and identity simulator in one process; ARGS="--port 0" and the like
	swift build $(CHECK) --product cloakroom-demo
	@scripts/web
	@exec .build/debug/cloakroom-demo $(ARGS)

# What make live tries; its size is the business of make release.
release-program: deps
	scripts/release-build --product cloakroom

release: release-program ## builds the server for production: .build/release/cloakroom, with Swift's libraries inside
	@scripts/binary-size
	@scripts/hardening

cluster-demo: deps ## runs two servers on one Redis with TLS behind nginx, and says what to try; FRONT=8080 names nginx's port
	@scripts/deps curl jq nginx-light
	swift build $(CHECK) --product cloakroom-demo
	swift build $(CHECK) --product cloakroom
	@exec scripts/cluster-demo

sbom: release-program ## writes what the program consists of, Debian packages included, as CycloneDX: .build/release/cloakroom.cdx.json
	@scripts/deps jq
	@scripts/sbom

image: ## builds the container image by docker, podman or buildah
	@scripts/image

image-test: image ## runs the image without rights against a simulator outside, and signs in
	@scripts/deps curl jq
	swift build $(CHECK) --product cloakroom-demo
	@scripts/image-test

test: deps ## runs all tests; ARGS="--filter HTTPClientTests" and the like
	@scripts/test $(ARGS)

smoke: ## runs the curl examples against a demo of their own, the files of examples/deploy and examples/cluster, and the library outside of the repository
	@scripts/deps curl jq nginx-light python3-yaml
	@python3 -c 'import werkzeug' 2>/dev/null || scripts/deps python3-werkzeug
	swift build $(CHECK) --product cloakroom-demo
	swift build $(CHECK) --product LedgerExample
	swift build $(CHECK) --product cloakroom
	examples/curl/run
	scripts/deploy-test
	scripts/cluster-test
	scripts/library-test

test-web: deps ## tries the client for browsers and the sample app in headless Chromium; ARGS="passkey" and the like
	swift build $(CHECK) --product cloakroom-demo
	swift build $(CHECK) --product cloakroom
	@scripts/test-web $(ARGS)

clients: deps ## generates clients from the contract in TypeScript, Java and Python, and has them read a demo's answers
	@scripts/deps curl jq
	swift build $(CHECK) --product cloakroom-demo
	@scripts/clients

contract-test: deps ## tries the contract with generated requests, single and in chains; EXAMPLES=300, SEED=NUMBER
	swift build $(CHECK) --product cloakroom-demo
	@scripts/contract-test

live: deps ## tries the release binary at a real AM and a real provider; ARGS="--filter SignInTests", AM_SETTINGS=FILE
	@scripts/live $(ARGS)

bench: ## prints CPU time per request beside plain C and HAProxy, and the budgets; ARGS=--help
	@scripts/deps curl jq wrk haproxy gcc libc6-dev
	benchmarks/run $(ARGS)

bench-scale: deps ## fills each store with a million sessions, and prints memory and CPU time; ARGS="--stores memory" (benchmarks/README.md)
	@scripts/deps python3 wrk redis-server
	scripts/release-build --scratch-path .build-bench --product BenchmarkParts
	benchmarks/scale $(ARGS)

soak: deps ## signs users in and out on Redis for ten minutes, and prints memory and open files; ARGS="--soak 60 --stores memory"
	@scripts/deps python3 wrk redis-server
	scripts/release-build --scratch-path .build-bench --product BenchmarkParts
	benchmarks/scale $(or $(ARGS),--soak 600 --stores redis)

simulate: deps ## runs the server in simulated worlds for a minute; ARGS="--seconds 3600", ARGS="--seed 17 --trace" (docs/simulation.md)
	@scripts/simulate $(ARGS)

fuzz: deps ## feeds a parser random input: TARGET=json, yaml, cbor, http, step, form or pattern; ARGS=300 for five minutes
	@[ -z "$(filter step form,$(TARGET))" ] || scripts/deps jq
	Tests/Fuzz/run.sh $(TARGET) $(ARGS)

lint: deps ## checks formatting, documentation comments, shell scripts and the marks of rules
	swift format lint --strict --recursive --configuration .swift-format $(SWIFT_FILES)
	@if command -v shellcheck >/dev/null; then \
		git ls-files -z '*.sh' scripts ':!*.ld' .ci examples/*/run benchmarks/run | xargs -0r grep -lZE '^[#]!/usr/bin/env bash|shellcheck shell' | xargs -0r shellcheck -x -P SCRIPTDIR -S warning; \
	elif [ -n "$(CI)" ]; then echo 'shellcheck is not installed: install it, CI checks the shell scripts' >&2; exit 1; \
	else echo 'shellcheck is not installed: shell scripts not checked'; fi
	@scripts/deps python3
	@scripts/plant --check
	@scripts/mutate --check
	@scripts/words

openapi: ## writes the contract, put together from openapi/, into the server's source
	scripts/embed-contract

format: deps ## brings every Swift file into shape
	swift format --in-place --recursive --configuration .swift-format $(SWIFT_FILES)

test-threads: deps ## runs all tests under ThreadSanitizer
	TSAN_OPTIONS=suppressions=$(CURDIR)/Tests/ThreadSanitizer.txt \
		swift test --no-parallel --sanitize=thread --scratch-path .build-threads --skip '^LiveTests\.' $(ARGS)

test-release: deps ## builds everything for production
	swift build $(CHECK) -c release

test-all: lint test smoke test-threads test-release ## everything there is to check

clean: ## removes what was built
	rm -rf .build .build-*
