#!/usr/bin/env bash
# Starts a PostgreSQL for one run of tests, reached by a socket in its folder:
#   tools/postgres.sh <folder> <owner's pid> [on|off]
# It ends, and its folder goes, when the process with that id has ended. It is durable like a real one, unless the last
# word switches fsync off: that loses data only when the machine ends, and creates and drops databases ten times faster.
# BURSAR_TEST_POSTGRES_BIN is the folder of the programs that it is made of, in place of the newest that Debian installed;
# BURSAR_TEST_ISOLATION the isolation of transactions that name none.
set -euo pipefail
folder=$1
owner=$2
fsync=${3:-on}
newest() { find /usr/lib/postgresql -maxdepth 1 -mindepth 1 2>/dev/null | sort -V | tail -n 1; }
postgres=${BURSAR_TEST_POSTGRES_BIN:-$(newest)/bin}
[ -x "$postgres/initdb" ] || { echo "postgres: PostgreSQL is missing: run tools/setup.sh" >&2; exit 1; }
# It refuses to run as root, and gets a user of its own then.
as_postgres() { if [ "$(id -u)" = 0 ]; then setpriv --reuid=postgres --regid=postgres --clear-groups "$@"; else "$@"; fi; }

mkdir -p "$folder/data" "$folder/socket"
chmod 755 "$folder"
chmod 700 "$folder/data"
[ "$(id -u)" != 0 ] || chown postgres:postgres "$folder" "$folder/data" "$folder/socket"
cd "$folder"
# Programs in somebody's home cannot be run by another user.
if ! as_postgres "$postgres/initdb" --version >/dev/null 2>&1; then
  cp -r "$(dirname "$postgres")" "$folder/server"
  chmod -R a+rX "$folder/server"
  postgres=$folder/server/bin
fi
echo "$postgres" >"$folder/bin"
echo "$owner" >"$folder/owner"
as_postgres "$postgres/initdb" -D "$folder/data" -A trust -U bursar -E UTF8 --locale=C --no-sync >/dev/null
cat >>"$folder/data/postgresql.conf" <<CONF
listen_addresses = ''
unix_socket_directories = '$folder/socket'
max_connections = 400
shared_buffers = 128MB
fsync = $fsync
max_wal_size = 1GB
log_lock_waits = on
log_line_prefix = '%m [%p] %d '
default_transaction_isolation = '${BURSAR_TEST_ISOLATION:-read committed}'
CONF
as_postgres "$postgres/pg_ctl" -w -D "$folder/data" -l "$folder/data/log" start >/dev/null
# It outlives the test that needed it first, and ends with the run. Every ten seconds it drops the databases of tests that
# have ended (`test_<pid>_…`), because each takes 10 MB.
setsid bash -c '
  dead() {
    for name in $("$2/psql" -h "$3/socket" -U bursar -d postgres -qAtc "SELECT datname FROM pg_database WHERE datname LIKE '\''test\_%'\''"); do
      pid=${name#test_}
      kill -0 "${pid%%_*}" 2>/dev/null || echo "DROP DATABASE $name WITH (FORCE);"
    done
  }
  rounds=0
  while kill -0 "$1" 2>/dev/null; do
    sleep 0.5
    rounds=$((rounds + 1))
    [ $((rounds % 20)) != 0 ] || dead "$@" | "$2/psql" -h "$3/socket" -U bursar -d postgres -qAt
  done
  if [ "$(id -u)" = 0 ]; then set -- "$@" setpriv --reuid=postgres --regid=postgres --clear-groups; fi
  "${@:4}" "$2/pg_ctl" -D "$3/data" -m immediate stop
  rm -rf "$3"
' watch "$owner" "$postgres" "$folder" </dev/null >/dev/null 2>&1 &
