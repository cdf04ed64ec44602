#!/usr/bin/env bash
# Fuzzes the core: fuzz/run.sh SECONDS [TARGET...]. Each target runs for that time and prints the number of its inputs.
#
# It does the work of cargo-fuzz with cargo and a C++ compiler alone: libFuzzer's instrumentation, and AddressSanitizer,
# which RUSTC_BOOTSTRAP permits on a stable toolchain. A run starts with the inputs of kept/, which are part of the
# repository, and with those of the last run: corpora and findings are in this folder. With KEEP=1 it replaces kept/ at the
# end by the smallest inputs that have the same coverage.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=$1
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(
	paths columns counts models added_tokens truncate_text decode documents
	tokenizer_json settings sentencepiece vocab_txt merges tiktoken subword_nmt counts_file patterns
)
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}

# A separate program, without instrumentation, writes the seeds and the dictionaries.
mkdir -p corpus
cargo run --release --locked --quiet --bin seeds -- corpus "${targets[@]}"
RUSTC_BOOTSTRAP=1 RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Ccodegen-units=1 -Cforce-frame-pointers \
-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
	cargo build --release --locked --quiet --target "$host" --bins

# Replaces the kept inputs of a target; the largest are left out, so that all archives together are below 2 MB.
keep() {
	local program=$1 target=$2 new
	new=$(mktemp -d)
	"$program" -merge=1 -max_len=4096 -artifact_prefix="artifacts/$target/" -timeout=120 -rss_limit_mb=4096 \
		"$new" "corpus/$target" >"artifacts/$target-merge.log" 2>&1
	find "$new" -type f -printf '%s %f\n' | sort -n | awk '{ size += $1 } size <= 300000 { print $2 }' \
		>"artifacts/$target-kept.txt"
	mkdir -p kept
	tar --create --sort=name --mtime=@0 --owner=0 --group=0 --numeric-owner --directory "$new" \
		--files-from "artifacts/$target-kept.txt" | gzip --best --no-name >"kept/$target.tar.gz"
	rm -r "$new"
}

# Freed memory is quarantined, 256 MB by default; the stacks of allocations take a tenth of the time.
export ASAN_OPTIONS=quarantine_size_mb=32:malloc_context_size=2

found=0
for target in "${targets[@]}"; do
	mkdir -p "artifacts/$target" "corpus/$target"
	[ ! -f "kept/$target.tar.gz" ] || tar --extract --gzip --file "kept/$target.tar.gz" --directory "corpus/$target"
	program=$CARGO_TARGET_DIR/$host/release/$target
	log=artifacts/$target.log
	limit=4096
	# Files that hold whole tokenizers are longer.
	case $target in tokenizer_json | sentencepiece | merges) limit=32768 ;; esac
	if "$program" "corpus/$target" -dict="corpus/$target.dict" \
		-artifact_prefix="artifacts/$target/" -max_total_time="$seconds" -max_len=$limit -timeout=120 -rss_limit_mb=4096 \
		-report_slow_units=1 -print_final_stats=1 >"$log" 2>&1; then
		verdict="nothing found"
	else
		verdict="FAILED: see fuzz/$log; the input is in fuzz/artifacts/$target/"
		found=1
	fi
	inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log")
	# An input that takes a second or more, and longer than all before, is kept as artifacts/TARGET/slow-unit-*.
	slowest=$(sed -n 's/^stat::slowest_unit_time_sec: *//p' "$log")
	[ -z "${KEEP:-}" ] || keep "$program" "$target"
	echo "fuzz: $target: ${inputs:-no} inputs in $seconds seconds, the slowest ${slowest:-?} s, $verdict"
done
exit $found
