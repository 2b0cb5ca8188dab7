#!/usr/bin/env bash
# Starts a PgBouncer in front of a PostgreSQL of tools/postgres.sh: tools/pgbouncer.sh <folder> <owner's pid>
# It is reached by a socket in <folder>/pooler and gives each transaction another connection, of eight for a database. It ends when the
# process with the owner's id has ended, or by a signal to the process whose id is in <folder>/pooler/pid.
set -euo pipefail
folder=$1
owner=$2
pgbouncer=/usr/sbin/pgbouncer
[ -x "$pgbouncer" ] || { echo "pgbouncer: PgBouncer is missing: run tools/setup.sh" >&2; exit 1; }
# It refuses to run as root, as PostgreSQL does.
as_postgres=()
[ "$(id -u)" != 0 ] || as_postgres=(setpriv --reuid=postgres --regid=postgres --clear-groups)

cd "$folder"
mkdir -p pooler
echo '"bursar" ""' >pooler/users
cat >pooler/pgbouncer.ini <<CONF
[databases]
* = host=$folder/socket port=5432
[pgbouncer]
listen_addr =
listen_port = 5432
unix_socket_dir = $folder/pooler
auth_type = trust
auth_file = $folder/pooler/users
pool_mode = transaction
default_pool_size = 8
max_client_conn = 2000
# A database of a test that has ended keeps no connection.
server_idle_timeout = 5
logfile = $folder/pooler/log
log_connections = 0
log_disconnections = 0
CONF
[ "$(id -u)" != 0 ] || chown -R postgres:postgres pooler
# What another left behind that was killed.
rm -f pooler/.s.PGSQL.5432*
setsid "${as_postgres[@]}" "$pgbouncer" -q pooler/pgbouncer.ini </dev/null >/dev/null 2>&1 &
pid=$!
echo "$pid" >pooler/pid
for _ in $(seq 100); do [ -S pooler/.s.PGSQL.5432 ] && break; sleep 0.05; done
[ -S pooler/.s.PGSQL.5432 ] || { echo "pgbouncer: it does not start" >&2; tail -5 pooler/log >&2; exit 1; }
setsid bash -c 'while kill -0 "$1" 2>/dev/null && kill -0 "$2" 2>/dev/null; do sleep 0.5; done; kill "$2"' watch "$owner" "$pid" \
  </dev/null >/dev/null 2>&1 &
