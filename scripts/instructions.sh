#!/bin/sh
# Counts the instructions of the nine hottest functions with callgrind and reports what changed against the committed counts.
# --write: commits to the new counts. Ends with 1 if a function takes over 2 % more than committed.
set -eu
table=docs/results/bench/instructions.tsv
work=target/bench
if ! command -v valgrind >/dev/null; then
	if ! { apt-get update -qq && apt-get install -y -qq valgrind; } >/dev/null 2>&1; then
		echo "instructions: valgrind is missing and could not be installed; install it and try again" >&2
		exit 2
	fi
fi
mkdir -p "$work"
cargo build --locked --release -p ugoki-bench -p ugoki-cli

# What callgrind counts for so many calls, preparation and all.
counted() {
	if ! valgrind --tool=callgrind --callgrind-out-file=/dev/null target/release/ugoki-bench count "$1" "$2" \
		>"$work/per.txt" 2>"$work/callgrind.txt"; then
		echo "instructions: $1 could not be counted:" >&2
		tail -5 "$work/callgrind.txt" >&2
		exit 2
	fi
	sed -n 's/.*Collected : *//p' "$work/callgrind.txt"
}

# Two runs of different length: the difference is the work, without its preparation.
printf 'task\tinstructions of one unit of work\n' >"$work/instructions.tsv"
while read -r task few; do
	many=$((3 * few))
	less=$(counted "$task" "$few")
	more=$(counted "$task" "$many")
	awk -v task="$task" -v calls="$((many - few))" -v instructions="$((more - less))" \
		'/^[0-9.]+$/ { printf "%s\t%.0f\n", task, instructions / calls / $1 }' "$work/per.txt" >>"$work/instructions.tsv"
done <<TASKS
bvh.read 3
signal.filter.exact 2
database.decode 2000
database.unpack 20
edit.pose 500
perform.frame 100
dynamics.aba 500
react.step 1
react.fall 1
TASKS

if [ "${1:-}" = "--write" ]; then
	mkdir -p "$(dirname "$table")"
	cp "$work/instructions.tsv" "$table"
	cat "$table"
	exit 0
fi
awk -F '\t' '
	FNR == 1 && $1 == "task" { next }
	NR == FNR { was[$1] = $2; next }
	{ seen[$1] = 1 }
	!($1 in was) { printf "%-22s %12d  new\n", $1, $2; next }
	{
		change = 100 * ($2 / was[$1] - 1)
		printf "%-22s %12d  %+.2f %%\n", $1, $2, change
		if (change > 2) worse = 1
	}
	END {
		for (task in was) if (!(task in seen)) { printf "%-22s %12s  gone\n", task, "-"; worse = 1 }
		exit worse
	}
' "$table" "$work/instructions.tsv"
