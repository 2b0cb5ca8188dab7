#!/usr/bin/env bash
# Checks every dependency: licence, source, banned crates, known vulnerabilities. ADVISORY_DB names a folder with a snapshot of
# the RustSec database for machines that cannot fetch it.
set -euo pipefail
cd "$(dirname "$0")/.."

if ! command -v cargo-deny >/dev/null; then
  echo "audit: installing cargo-deny"
  cargo install --locked --quiet cargo-deny
fi
cargo deny --locked --offline check --hide-inclusion-graph licenses bans sources
if [ -n "${ADVISORY_DB:-}" ]; then
  [ -d "$ADVISORY_DB/crates" ] || { echo "audit: $ADVISORY_DB holds no RustSec database (no folder crates)" >&2; exit 1; }
  # cargo-deny reads a git clone in a folder that it names after the URL; it says which one when it is missing.
  databases=$(mktemp -d)
  configuration=$databases/deny.toml
  trap 'rm -rf "$databases"' EXIT
  sed "s#^db-urls#db-path = \"$databases\"\ndb-urls#" deny.toml >"$configuration"
  name=$(cargo deny --locked --offline --config "$configuration" check advisories 2>&1 | grep -om1 'advisory-db-[0-9a-f]*' || true)
  [ -n "$name" ] || { echo "audit: cargo-deny does not say where it looks for the database" >&2; exit 1; }
  git clone --quiet "$ADVISORY_DB" "$databases/$name"
  # The time of the last fetch is the time of this file.
  touch "$databases/$name/.git/FETCH_HEAD"
  cargo deny --locked --offline --config "$configuration" check --hide-inclusion-graph advisories
else
  cargo deny --locked check advisories
fi
