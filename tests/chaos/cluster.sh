#!/usr/bin/env bash
# A PostgreSQL of three nodes under Patroni. Each node is a "machine" of its own, a network namespace; so is where etcd is.
#
#   cluster.sh start <folder> <owner's pid> on|quorum|off   which synchronous replication; prints the addresses of the nodes
#   cluster.sh kill|revive|pause|resume <folder> <node>   Patroni and PostgreSQL on a node: kill -9, start again, SIGSTOP, SIGCONT
#   cluster.sh cut <folder> <from>:<to>…  what <from> sends to <to> is lost from now on, what <to> sends arrives; each is the
#                                         number of a node, or etcd
#   cluster.sh heal <folder>              nothing is lost any more
#
# It ends, and its folder goes, when the process with the owner's id has ended. Needs root, for the namespaces, and what
# `tools/setup.sh failover` installs. Addresses are of 198.18.0.0/15, which is kept for tests and used by no network.
set -euo pipefail
verb=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
postgres=$(find /usr/lib/postgresql -maxdepth 1 -mindepth 1 2>/dev/null | sort -V | tail -n 1)/bin
[ "$verb" = start ] || net=$(cat "$folder/net")

space() { echo "bursar$net-$1"; }
address() { if [ "$1" = etcd ]; then echo "198.18.$net.10"; else echo "198.18.$net.1$1"; fi; }

# A star of wires: the hub passes packets on from one to the other, or loses them.
wire() { # <place> <address> [<namespace>]
  ip link add "bursar$net-$1" type veth peer name "$1" netns "$(space hub)"
  [ -z "${3:-}" ] || ip link set "bursar$net-$1" netns "$3"
  ip -n "$(space hub)" addr add "198.18.$net.254/32" dev "$1"
  ip -n "$(space hub)" link set "$1" up
  ip -n "$(space hub)" route add "$2/32" dev "$1"
  local of=(); [ -z "${3:-}" ] || of=(-n "$3")
  ip "${of[@]}" addr add "$2/32" dev "bursar$net-$1"
  ip "${of[@]}" link set "bursar$net-$1" up
  ip "${of[@]}" route add "198.18.$net.0/24" via "198.18.$net.254" dev "bursar$net-$1" onlink
}

lay_wires() {
  # Several may run beside each other: the first free number is ours.
  for net in $(seq 0 255); do ip netns add "$(space hub)" 2>/dev/null && break; done
  echo "$net" >"$folder/net"
  ip netns exec "$(space hub)" sysctl -q -w net.ipv4.ip_forward=1
  wire client "198.18.$net.1"
  for place in etcd 1 2 3; do
    ip netns add "$(space $place)"
    ip -n "$(space $place)" link set lo up
    wire "at-$place" "$(address $place)" "$(space $place)"
  done
}

at() { # <place> <command…>: runs there as the user postgres, apart from whoever called
  local place=$1; shift
  ip netns exec "$(space "$place")" setpriv --reuid=postgres --regid=postgres --clear-groups \
    env -i PATH="$PATH" LC_ALL=C.UTF-8 HOME="$folder/$place" setsid "$@" </dev/null >>"$folder/$place/log" 2>&1 &
}

run_etcd() {
  local members='' number
  for number in 1 2 3; do members+="${members:+,}etcd$number=http://$(address etcd):238$number"; done
  for number in 1 2 3; do
    at etcd etcd --name "etcd$number" --data-dir "$folder/etcd/$number" --log-level warn --initial-cluster "$members" \
      --listen-peer-urls "http://$(address etcd):238$number" --initial-advertise-peer-urls "http://$(address etcd):238$number" \
      --listen-client-urls "http://$(address etcd):237$number" --advertise-client-urls "http://$(address etcd):237$number"
  done
}

run_node() { # <node>
  at "$1" env PYTHONPATH="$folder/packages" /usr/bin/python3 -m patroni "$folder/$1/patroni.yml"
}

start() { # <owner> on|quorum|off
  [ "$(id -u)" = 0 ] || { echo "cluster: network namespaces need root" >&2; exit 1; }
  for needed in /usr/bin/etcd /usr/sbin/ip "$here/.packages/ready" "$postgres/postgres"; do
    [ -e "$needed" ] || { echo "cluster: $needed is missing: run tools/setup.sh failover" >&2; exit 1; }
  done
  lay_wires
  # The folder of the project may be one that only its owner reads.
  chmod 755 "$folder"
  cp -r "$here/.packages" "$folder/packages"
  for place in etcd 1 2 3; do install -d -o postgres -g postgres -m 700 "$folder/$place"; done
  run_etcd
  local strict=on; [ "$2" != off ] || strict=off
  for node in 1 2 3; do
    sed -e "s|@node@|node$node|; s|@address@|$(address "$node")|; s|@net@|198.18.$net.0/24|; s|@folder@|$folder/$node|" \
      -e "s|@etcd@|$(address etcd):2371, $(address etcd):2372, $(address etcd):2373|; s|@bin@|$postgres|; s|@synchronous@|$2|; s|@strict@|$strict|" \
      "$here/patroni.yml" >"$folder/$node/patroni.yml"
    run_node "$node"
    address "$node"
  done
  setsid bash -c '
    while kill -0 "$1" 2>/dev/null; do sleep 0.5; done
    for place in 1 2 3 etcd hub; do
      # What a killed one was about to start may come after it.
      while left=$(ip netns pids "bursar$2-$place") && [ -n "$left" ]; do kill -9 $left; sleep 0.1; done
      ip netns del "bursar$2-$place"
    done
    rm -rf "$3"
  ' watch "$1" "$net" "$folder" </dev/null >/dev/null 2>&1 &
}

signal() { # <signal> <node>
  # A process that begins another at this moment may leave it behind, so they are looked for again.
  for _ in 1 2 3; do ip netns pids "$(space "$2")" | xargs -r kill "-$1" 2>/dev/null || true; done
}

case $verb in
  start) start "$3" "$4" ;;
  kill) signal KILL "$3" ;;
  revive) run_node "$3" ;;
  pause) signal STOP "$3" ;;
  resume) signal CONT "$3" ;;
  cut)
    # All at the same moment, as nearly as can be.
    for way in "${@:3}"; do echo "rule add from $(address "${way%:*}") to $(address "${way#*:}") pref 100 blackhole"; done |
      ip -n "$(space hub)" -batch -
    ;;
  heal) while ip -n "$(space hub)" rule del pref 100 2>/dev/null; do :; done ;;
  *) echo "cluster: what is $verb?" >&2; exit 1 ;;
esac
