#!/usr/bin/env bash
# Builds the release binary so that the same commit and toolchain give the same bytes, and writes the software bill of materials
# (CycloneDX JSON) and checksums into target/dist. The binary is static; RELEASE_TARGET selects another target, such as
# x86_64-unknown-linux-gnu for one that uses the C library of the system.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo-cyclonedx >/dev/null; then
  echo "release: installing cargo-cyclonedx"
  cargo install --locked --quiet cargo-cyclonedx
fi

host=$(rustc -vV | sed -n 's/^host: //p')
target=${RELEASE_TARGET:-${host%-gnu}-musl}
target=${target/-musl-musl/-musl}
if [ ! -d "$(rustc --print sysroot)/lib/rustlib/$target/lib" ]; then
  echo "release: installing the Rust target $target"
  rustup target add "$target"
fi
# The C code of dependencies is compiled for the same C library.
if [[ $target = *-musl && $target != "$host" ]] && ! command -v musl-gcc >/dev/null; then
  echo "release: musl-gcc is missing; install the package musl-tools, or set RELEASE_TARGET=$host" >&2
  exit 1
fi

# The time of the commit replaces the time of the build.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct)
export SOURCE_DATE_EPOCH
cargo_home=${CARGO_HOME:-$HOME/.cargo}
# Paths of the machine are replaced, so that neither the folder nor the account of the builder is in the binary.
export RUSTFLAGS="--remap-path-prefix=$PWD=/bursar --remap-path-prefix=$cargo_home=/cargo --remap-path-prefix=$(rustc --print sysroot)=/rust"
# C code of dependencies names its files too.
export CFLAGS="-ffile-prefix-map=$PWD=/bursar -ffile-prefix-map=$cargo_home=/cargo"
build() { cargo build --quiet --profile dist --locked --target "$target" --target-dir "$1"; }

dist=target/dist
mkdir -p "$dist"
build target/release-build
strip --strip-all -o "$dist/bursar" "target/release-build/$target/dist/bursar"

cargo cyclonedx --format json --spec-version 1.5 --override-filename bursar.cdx >/dev/null
mv bursar.cdx.json "$dist/"
# The tool writes one for each crate of the workspace; that of the program lists all dependencies.
rm -f crates/*/bursar.cdx.json

if [ "${1:-}" = reproduce ]; then
  build target/release-again
  strip --strip-all -o "$dist/bursar.again" "target/release-again/$target/dist/bursar"
  cmp "$dist/bursar" "$dist/bursar.again" || { echo "release: two builds of one commit differ" >&2; exit 1; }
  rm "$dist/bursar.again"
  echo "release: two builds gave the same bytes"
fi
# A static binary has no table of shared libraries.
if [[ $target = *-musl ]] && readelf --dynamic "$dist/bursar" | grep -F NEEDED; then
  echo "release: the binary is not static" >&2
  exit 1
fi
if strings -n 6 "$dist/bursar" | grep -F -m1 -e "$PWD" -e "$cargo_home"; then
  echo "release: the binary holds a path of this machine" >&2
  exit 1
fi
(cd "$dist" && sha256sum bursar bursar.cdx.json | tee SHA256SUMS)
