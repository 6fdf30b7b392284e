#!/usr/bin/env bash
# Starts the server in the foreground and prints "listening <port>" once it takes connections. Argument: the port (any free one unless told).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
libraries=$here/../../../.cache/mongo-wire-server
wanted=$(cksum <"$here/pom.xml")

# The libraries are kept, so that only the first start needs the registry; others that start meanwhile wait for it.
mkdir -p "$(dirname "$libraries")"
exec 9>"$libraries.lock"
flock 9
if [[ $(cat "$libraries/complete" 2>/dev/null) != "$wanted" ]]; then
  rm -rf "$libraries"
  mkdir -p "$libraries"
  mvn --quiet --batch-mode --file "$here/pom.xml" org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies \
    -DoutputDirectory="$libraries" >&2
  echo "$wanted" >"$libraries/complete"
fi
exec 9>&-

exec java -Xmx1g -cp "$libraries/*" "$here/Main.java" "${1:-0}"
