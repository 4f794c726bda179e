#!/bin/sh
# Measures Ugoki and its peers in one run and writes docs/results/bench and README's table.
# --smoke: every task once on its smallest size, nothing written outside target/.
set -eu
work=target/bench
venv=$work/venv
mkdir -p "$work"

# What the peers were installed from; a changed list is reinstalled.
installed() { cmp -s benches-peers/requirements.txt "$venv/installed.txt"; }

peers() { # DATA OUT [--smoke]
	"$venv/bin/python" benches-peers/peers.py "$@"
	"$work/rust/release/peers" "$@"
}

if [ "${1:-}" = "--smoke" ]; then
	# With the program, so that the library is built once for both.
	cargo build --locked --profile smoke -p ugoki-bench -p ugoki-cli
	bench=target/smoke/ugoki-bench
	UGOKI_BENCH_PROGRAM=target/smoke/ugoki $bench run "$work/smoke.jsonl" --smoke >"$work/smoke.txt"
	# Pages are written too, of copies.
	rm -rf "$work/smoke" && mkdir -p "$work/smoke/docs"
	cp README.md "$work/smoke/README.md"
	$bench data "$work/smoke/data"
	: >"$work/smoke-peers.jsonl"
	if installed && [ -x "$work/rust/release/peers" ]; then
		peers "$work/smoke/data" "$work/smoke-peers.jsonl" --smoke 2>"$work/smoke-peers.txt"
	else
		echo "bench-smoke: peers are not installed here and were left out (make bench installs them)"
	fi
	$bench pages "$work/smoke.jsonl" "$work/smoke-peers.jsonl" "$work/smoke/docs" "$work/smoke/README.md"
	rm -rf "$work/smoke"
	echo "bench-smoke: $(wc -l <"$work/smoke.jsonl") figures, $(wc -l <"$work/smoke-peers.jsonl") of peers"
	exit 0
fi

fail() {
	echo "bench: $1" >&2
	exit 2
}
[ -n "${UGOKI_CAPTURES:-}" ] || fail "set UGOKI_CAPTURES to the folder of captures, whose files are part of the table"
command -v python3 >/dev/null || fail "python3 is missing; the peers need it (Debian: python3-venv)"
[ -x /usr/bin/time ] || fail "/usr/bin/time is missing, which measures a program's memory (Debian: time)"
cargo build --locked --release -p ugoki-bench -p ugoki-cli
cargo build --locked --release --manifest-path benches-peers/rust/Cargo.toml --target-dir "$work/rust"
if ! installed; then
	python3 -m venv "$venv" || fail "no virtual environment could be made (Debian: python3-venv)"
	"$venv/bin/pip" install --quiet -r benches-peers/requirements.txt ||
		fail "the peers of benches-peers/requirements.txt could not be installed; is the package index reachable?"
	cp benches-peers/requirements.txt "$venv/installed.txt"
fi
target/release/ugoki-bench data "$work/data"
UGOKI_BENCH_PROGRAM=target/release/ugoki target/release/ugoki-bench run "$work/ours.jsonl"
peers "$work/data" "$work/peers.jsonl"
cpu=$(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo 2>/dev/null | head -1)
memory=$(awk '/^MemTotal/ { printf "%.0f GB", $2 / 1048576 }' /proc/meminfo 2>/dev/null || true)
UGOKI_BENCH_MACHINE="Machine: ${cpu:-unknown processor}, $(nproc) cores, ${memory:-unknown} memory, $(uname -sr | cut -d- -f1), $(rustc --version | cut -d' ' -f1,2), \
$("$venv/bin/python" --version), Ugoki $(git describe --always 2>/dev/null || echo unknown), $(date +%Y-%m-%d), load $(cut -d' ' -f1 /proc/loadavg 2>/dev/null || echo unknown) at the end." \
	target/release/ugoki-bench pages "$work/ours.jsonl" "$work/peers.jsonl" docs/results README.md
