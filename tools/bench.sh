#!/usr/bin/env bash
# Measures send-payout on the embedded store beside pgbench TPC-B (8 clients), in turns on the same machine,
# and prints the medians and their ratios as a table for docs/performance.md.
# Usage: tools/bench.sh [seconds per run, 10] [rounds, 5]
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:-10}
rounds=${2:-5}
bursar=target/release/bursar
[ -x "$bursar" ] || { echo "bench: build first: make build" >&2; exit 1; }
postgres=$(find /usr/lib/postgresql -maxdepth 1 -mindepth 1 2>/dev/null | sort -V | tail -n 1)/bin
[ -x "$postgres/initdb" ] || { echo "bench: PostgreSQL is missing: run tools/setup.sh" >&2; exit 1; }

folder=$(mktemp -d)
port=$((20000 + RANDOM % 20000))
server=
# PostgreSQL refuses to run as root: it gets a user of its own then.
as_postgres() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }
finish() {
  [ -z "$server" ] || kill "$server" 2>/dev/null || true
  as_postgres "$postgres/pg_ctl" -D "$folder/pg" -m immediate stop >/dev/null 2>&1 || true
  rm -rf "$folder"
}
trap finish EXIT

mkdir "$folder/pg" "$folder/socket"
[ "$(id -u)" != 0 ] || chown postgres:postgres "$folder" "$folder/pg" "$folder/socket"
as_postgres "$postgres/initdb" -D "$folder/pg" -A trust -U bench >/dev/null
as_postgres "$postgres/pg_ctl" -w -D "$folder/pg" -o "-p $port -k $folder/socket -c listen_addresses=127.0.0.1" -l "$folder/pg/log" start >/dev/null
pg=(-h 127.0.0.1 -p "$port" -U bench postgres)
"$postgres/pgbench" -q -i -s 10 "${pg[@]}" >/dev/null 2>&1

"$bursar" serve --listen 127.0.0.1:0 --data-dir "$folder/data" >"$folder/out" 2>"$folder/err" &
server=$!
until grep -q '^listening on' "$folder/out"; do kill -0 "$server"; read -rt 0.1 <> <(:) || true; done

for _ in $(seq "$rounds"); do
  "$postgres/pgbench" -c 8 -j 2 -T "$seconds" "${pg[@]}" 2>/dev/null | sed -n 's/^tps = \([0-9.]*\).*/pgbench \1/p' >>"$folder/figures"
  "$bursar" bench --credentials "$folder/data/sandbox-credentials.json" --seconds "$seconds" --json |
    python3 -c 'import json,sys
for run in json.load(sys.stdin): print(run["connections"], run["per_second"], run["p50_millis"], run["p99_millis"], run["others"])' >>"$folder/figures"
done

python3 - "$folder/figures" "$seconds" <<'PYTHON'
import statistics, sys
rows = [line.split() for line in open(sys.argv[1])]
median = lambda name, column: statistics.median(float(row[column]) for row in rows if row[0] == name)
reference = median("pgbench", 1)
rounds = sum(row[0] == "pgbench" for row in rows)
print(f"Medians of {rounds} rounds of {sys.argv[2]} s each.\n")
print("| work | per second | against pgbench | p50 ms | p99 ms |\n|---|---|---|---|---|")
print(f"| pgbench TPC-B, 8 clients | {reference:.0f} | 1.0 | | |")
for name in ("1", "16", "64"):
    rate = median(name, 1)
    print(f"| send-payout, {name} connection{'s' if name != '1' else ''} | {rate:.0f} | {rate / reference:.2f} | {median(name, 2):.2f} | {median(name, 3):.2f} |")
others = sum(float(row[4]) for row in rows if row[0] != "pgbench")
print(f"\nRequests that were not answered with 201: {others:.0f}.")
PYTHON
