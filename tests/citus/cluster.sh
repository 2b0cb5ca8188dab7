#!/usr/bin/env bash
# Starts a Citus cluster of one coordinator and two workers on ports of 127.0.0.1: tests/citus/cluster.sh <folder> [<owner's pid>]
# Prints the URL of the coordinator, without a database, once it is ready; `make test-citus` takes that in BURSAR_TEST_CITUS_URL.
# It ends, and its folder goes, when the process with that id has ended; without one, when <folder>/stop is made.
# PostgreSQL must have the extension; BURSAR_TEST_POSTGRES_BIN names the folder of its programs where it is not the newest of Debian's. CITUS_PORT is the port of the coordinator (9700); the workers have the next ones, and the one
# after them is a spare, known to the coordinator as inactive: a test adds it.
set -euo pipefail
folder=$(mkdir -p "$1" && cd "$1" && pwd)
owner=${2:-}
port=${CITUS_PORT:-9700}
newest() { find /usr/lib/postgresql -maxdepth 1 -mindepth 1 2>/dev/null | sort -V | tail -n 1; }
postgres=${BURSAR_TEST_POSTGRES_BIN:-$(newest)/bin}
[ -x "$postgres/initdb" ] || { echo "citus: PostgreSQL is missing: run tools/setup.sh" >&2; exit 1; }
[ -e "$("$postgres/pg_config" --sharedir)/extension/citus.control" ] || { echo "citus: PostgreSQL has no extension citus" >&2; exit 1; }
# It refuses to run as root, and gets a user of its own then.
as_postgres() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }
ask() { as_postgres "$postgres/psql" -X -q -v ON_ERROR_STOP=1 -h 127.0.0.1 -p "$1" -U bursar -d postgres -c "$2" >/dev/null; }

cd "$folder"
for number in 0 1 2 3; do
  node=node$number
  mkdir -p "$node"
  chmod 700 "$node"
  [ "$(id -u)" != 0 ] || chown postgres:postgres "$folder" "$node"
  as_postgres "$postgres/initdb" -D "$folder/$node" -A trust -U bursar -E UTF8 --locale=C --no-sync >/dev/null
  # Moving a shard while it is written to takes logical replication. Each database has a daemon of its own on each node.
  cat >>"$node/postgresql.conf" <<CONF
listen_addresses = '127.0.0.1'
port = $((port + number))
unix_socket_directories = ''
shared_preload_libraries = 'citus'
wal_level = logical
max_connections = 400
max_worker_processes = 200
max_replication_slots = 40
max_wal_senders = 40
max_prepared_transactions = 400
shared_buffers = 128MB
max_wal_size = 4GB
citus.shard_count = 4
citus.node_conninfo = 'sslmode=disable'
log_lock_waits = on
log_line_prefix = '%m [%p] %d '
CONF
  # The newest PostgreSQLs want to be told which libraries may read their log.
  if as_postgres "$postgres/postgres" -D "$folder/$node" -C output_plugin_libraries >/dev/null 2>&1; then
    echo "output_plugin_libraries = 'pgoutput, citus'" >>"$node/postgresql.conf"
  fi
  as_postgres "$postgres/pg_ctl" -w -D "$folder/$node" -l "$folder/$node/log" start >/dev/null
  ask $((port + number)) "CREATE EXTENSION citus"
done
# The database postgres of the first knows the others; whoever makes a database asks there who they are.
ask "$port" "SELECT citus_set_coordinator_host('127.0.0.1', $port)"
for number in 1 2; do ask "$port" "SELECT citus_add_node('127.0.0.1', $((port + number)))"; done
ask "$port" "SELECT citus_add_inactive_node('127.0.0.1', $((port + 3)))"

if [ -n "$owner" ]; then ends="kill -0 $owner 2>/dev/null"; else ends="[ ! -e '$folder/stop' ]"; fi
setsid bash -c '
  while eval "$1"; do sleep 0.5; done
  if [ "$(id -u)" = 0 ]; then set -- "$@" setpriv --reuid=postgres --regid=postgres --clear-groups; fi
  for node in "$3"/node*; do "${@:4}" "$2/pg_ctl" -D "$node" -m immediate stop; done
  rm -rf "$3"
' watch "$ends" "$postgres" "$folder" </dev/null >/dev/null 2>&1 &

echo "postgres://bursar@127.0.0.1:$port"
