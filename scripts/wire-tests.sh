#!/usr/bin/env bash
# The wire tests against servers that are started here. Argument: the version of EventStoreDB that the stand-in behaves as.
#
# They run in parts, each on servers that are empty, as a first start meets them: the MongoDB-protocol server has no
# indexes, so every read costs what all tests before it have stored.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

version=$1
parts=6
work=$(mktemp -d)
pids=()
stop_servers() {
  for pid in "${pids[@]}"; do kill "$pid" 2>/dev/null && wait "$pid" 2>/dev/null; done
  pids=()
}
trap 'stop_servers; rm -rf "$work"' EXIT
trap 'exit 143' TERM INT

# A name, then the command that prints "listening <port>"; leaves the port in $port.
start() {
  local name=$1
  shift
  "$@" >"$work/$name.out" 2>"$work/$name.err" &
  pids+=("$!")
  for _ in $(seq 1 600); do
    port=$(sed -n 's/^listening \([0-9]*\)$/\1/p' "$work/$name.out")
    [ -z "$port" ] || return 0
    kill -0 "${pids[-1]}" 2>/dev/null || break
    sleep 0.2
  done
  echo "$name did not start" >&2
  cat "$work/$name.out" "$work/$name.err" >&2
  exit 1
}

failed=0
for part in $(seq 1 "$parts"); do
  start eventstore node_modules/.bin/node tests/support/eventstore-stand-in/main.ts --port 0 --version "$version"
  log="esdb://127.0.0.1:$port?tls=false"
  start mongodb bash tests/support/mongo-wire-server/start.sh 0
  EVENTSTORE_TEST_URL=$log MONGODB_TEST_URL="mongodb://127.0.0.1:$port/wire" \
    npm run -s test:wire -- --shard="$part/$parts" || {
    failed=1
    cat "$work/eventstore.err" "$work/mongodb.err"
  }
  stop_servers
done
exit "$failed"
