#!/usr/bin/env bash
# Runs every fuzz target for a bounded time, from the committed corpus. The instrumentation flags are stable ones of rustc, so
# no other toolchain is needed. New inputs go to target/fuzz, never to the committed corpus: `tools/fuzz.sh SECONDS keep` adds
# the ones that reach new code.
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-30}
keep=${2:-}

export RUSTFLAGS="--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4 \
-Cllvm-args=-sanitizer-coverage-inline-8bit-counters -Cllvm-args=-sanitizer-coverage-pc-table \
-Cllvm-args=-sanitizer-coverage-trace-compares -Ccodegen-units=1"
# With a target named, the flags leave build scripts and macros alone.
triple=$(rustc -vV | sed -n 's/^host: //p')
cargo build --quiet --release --locked --manifest-path fuzz/Cargo.toml --target "$triple" --target-dir target/fuzz

for source in fuzz/targets/*.rs; do
  name=$(basename "$source" .rs)
  found=target/fuzz/corpus/$name
  mkdir -p "$found" fuzz/corpus/"$name"
  echo "fuzz: $name, $seconds s"
  "target/fuzz/$triple/release/$name" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -max_len=65536 \
    -artifact_prefix="target/fuzz/$name-" -print_final_stats=1 "$found" fuzz/corpus/"$name" 2>&1 |
    grep -E 'ERROR|panicked|SUMMARY|assert|Test unit|stat::number_of_executed_units|stat::peak_rss' || true
  # grep hides the exit code of the target, so what it left behind decides.
  if compgen -G "target/fuzz/$name-*" >/dev/null; then
    echo "fuzz: $name failed; the input is in $(ls target/fuzz/"$name"-*)" >&2
    exit 1
  fi
  if [ "$keep" = keep ]; then "target/fuzz/$triple/release/$name" -merge=1 fuzz/corpus/"$name" "$found" >/dev/null 2>&1; fi
done
