#!/bin/sh
# Measures Ugoki and its peers in one run and writes docs/results/bench and README's table.
# --smoke: every task once on its smallest size, nothing written outside target/.
set -eu
work=target/bench
mkdir -p "$work"
if [ "${1:-}" = "--smoke" ]; then
	# With the program, so that the library is built once for both.
	cargo build --locked --profile smoke -p ugoki-bench -p ugoki-cli
	UGOKI_BENCH_PROGRAM=target/smoke/ugoki target/smoke/ugoki-bench run "$work/smoke.jsonl" --smoke >"$work/smoke.txt"
	echo "bench-smoke: $(wc -l <"$work/smoke.jsonl") figures"
	exit 0
fi
cargo build --locked --release -p ugoki-bench -p ugoki-cli
cargo build --release --manifest-path benches-peers/rust/Cargo.toml --target-dir "$work/rust"
if ! [ -x "$work/venv/bin/python" ]; then
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install --quiet -r benches-peers/requirements.txt
fi
target/release/ugoki-bench data "$work/data"
UGOKI_BENCH_PROGRAM=target/release/ugoki target/release/ugoki-bench run "$work/ours.jsonl"
"$work/venv/bin/python" benches-peers/peers.py "$work/data" "$work/peers.jsonl"
"$work/rust/release/peers" "$work/data" "$work/peers.jsonl"
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1)
UGOKI_BENCH_MACHINE="Machine: ${cpu:-unknown processor}, $(date +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown) at the end." \
	target/release/ugoki-bench pages "$work/ours.jsonl" "$work/peers.jsonl" docs/results README.md
