# Two commands: `make run` shows what Ugoki does, `make test` runs every check that CI runs.
# Both install what they need beyond Rust, Node and a C compiler.

CARGO ?= cargo
ARGS ?=
SMOKE = target/smoke/ugoki

.PHONY: run web web-test test light-build package compare test-oracles python-smoke test-python test-archive bench bench-smoke quality instructions fuzz fmt lint docs-check unit examples smoke browser-test screenshots

# Built without link-time optimisation, which costs minutes of build time.
run: web
	$(CARGO) build --profile smoke --locked -p ugoki-cli
	$(SMOKE) studio --open $(ARGS)

# The studio's page: the binary embeds web/dist, so it is built first.
web:
	sh scripts/web-build.sh

test: fmt web-test lint light-build package unit examples smoke python-smoke bench-smoke browser-test docs-check
	@echo "make test: all checks passed"

web-test:
	sh scripts/web-build.sh test

fmt:
	$(CARGO) fmt --all --check

lint:
	$(CARGO) clippy --workspace --all-targets --locked -- -D warnings
	RUSTDOCFLAGS="-D warnings" $(CARGO) doc --workspace --no-deps --locked --quiet

# What users of the library alone build: no C compiler, WebAssembly.
light-build:
	sh scripts/light-build.sh

unit:
	@[ -n "$${UGOKI_CAPTURES:-}" ] || echo "UGOKI_CAPTURES is not set: tests on real captures are skipped and say so"
	$(CARGO) test --workspace --locked --quiet

# Every example runs headless on the sample motions and must end well.
examples:
	sh scripts/run-examples.sh

# The binary as shipped, but for link-time optimisation; the browser tests drive it.
smoke:
	$(CARGO) build --profile smoke --locked -p ugoki-cli
	rm -rf target/smoke-demo
	$(SMOKE) demo target/smoke-demo
	$(SMOKE) demo target/smoke-demo --serve --check
	$(MAKE) run ARGS="target/smoke-demo/moves.ugoki --port 0 --check"

browser-test: smoke
	sh scripts/browser-test.sh $(SMOKE)

# Pictures of every tool for the documentation; look at them.
screenshots: web smoke
	UGOKI_BROWSER=$$(sh scripts/ensure-browser.sh) UGOKI_BINARY=$(CURDIR)/$(SMOKE) node web/tests/screenshots.mjs docs/images/studio

docs-check:
	sh scripts/check-docs.sh

# Our dynamics against Pinocchio and MuJoCo from PyPI, in a virtual environment under target/.
test-oracles:
	sh scripts/oracles/run.sh

# The Python package: a wheel in a fresh virtual environment. `make test` runs the first, the others are longer.
python-smoke: smoke
	sh scripts/python.sh smoke

# The whole suite, compared with the command line, and the tutorial notebook.
test-python: smoke
	sh scripts/python.sh suite

# Whole archives with Ray and Lance.
test-archive: smoke
	sh scripts/python.sh archive

# Every claim, side by side with what users would pick instead; writes docs/results/bench and README's table.
bench:
	sh scripts/bench.sh

# Every benchmark once on its smallest size, so that none rots.
bench-smoke: smoke
	sh scripts/bench.sh --smoke

# Instructions of the nine hottest functions, which no other program disturbs, against the committed counts.
instructions:
	sh scripts/instructions.sh

# Every target for this long each.
FUZZ_SECONDS ?= 90
# Needs a nightly toolchain and cargo-fuzz; the corpus is replayed by `make test` on stable.
fuzz:
	for target in $$($(CARGO) +nightly fuzz list --fuzz-dir fuzz); do \
	  $(CARGO) +nightly fuzz run --fuzz-dir fuzz $$target -- -max_total_time=$(FUZZ_SECONDS) || exit 1; \
	done

# Every crate packs for a registry.
package:
	$(CARGO) package --workspace --no-verify --allow-dirty --locked

# Outputs of a reference binary and of this tree's, over every verb and capture: make compare REFERENCE=path/to/ugoki
compare: smoke
	python3 scripts/compare_builds.py $(REFERENCE) $(SMOKE)

# Every quality table of motions over ground, of a reference binary and of this tree's: make quality REFERENCE=path/to/ugoki
# UGOKI_CAPTURES and UGOKI_ARCHIVE name the data. Options go into ARGS, such as ARGS="--tables plant,loop --limit 20".
QUALITY_PYTHON = target/quality-venv/bin/python
quality: smoke
	@$(QUALITY_PYTHON) -c "import numpy" 2>/dev/null || { python3 -m venv --clear target/quality-venv && $(QUALITY_PYTHON) -m pip install --quiet --disable-pip-version-check numpy; }
	$(QUALITY_PYTHON) scripts/quality.py --self-test
	$(QUALITY_PYTHON) scripts/quality.py $(REFERENCE) $(SMOKE) --page docs/results/quality.md --split docs/results/split.md $(ARGS)
