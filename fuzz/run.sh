#!/usr/bin/env bash
# Fuzzes the core: fuzz/run.sh SECONDS [TARGET...]. Each target runs for that time and prints the number of its inputs.
#
# It does the work of cargo-fuzz with cargo and a C++ compiler alone: libFuzzer's instrumentation, and AddressSanitizer,
# which RUSTC_BOOTSTRAP permits on a stable toolchain. Corpora and findings are kept in this folder, so that the next run
# continues with them.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

seconds=$1
targets=("${@:2}")
[ ${#targets[@]} -gt 0 ] || targets=(paths columns counts documents reader)
host=$(rustc -vV | sed -n 's/^host: //p')
export CARGO_TARGET_DIR=${CARGO_TARGET_DIR:-target}

# A separate program, without instrumentation, writes the seeds and the dictionary.
cargo run --release --locked --quiet --bin seeds -- corpus
RUSTC_BOOTSTRAP=1 RUSTFLAGS="--cfg fuzzing -Zsanitizer=address -Ccodegen-units=1 -Cforce-frame-pointers \
-Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 -Cllvm-args=-sanitizer-coverage-inline-8bit-counters \
-Cllvm-args=-sanitizer-coverage-pc-table -Cllvm-args=-sanitizer-coverage-trace-compares" \
	cargo build --release --locked --quiet --target "$host" --bins

# Freed memory is quarantined; the default is 256 MB.
export ASAN_OPTIONS=quarantine_size_mb=32

found=0
for target in "${targets[@]}"; do
	mkdir -p "artifacts/$target" "corpus/$target"
	log=artifacts/$target.log
	limit=4096
	[ "$target" != reader ] || limit=32768
	if "$CARGO_TARGET_DIR/$host/release/$target" "corpus/$target" -dict=corpus/dictionary.txt \
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
	echo "fuzz: $target: ${inputs:-no} inputs in $seconds seconds, the slowest ${slowest:-?} s, $verdict"
done
exit $found
