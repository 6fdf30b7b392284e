#!/usr/bin/env bash
# Makes clients of the OpenAPI document with the generators that are used most, compiles them and lets each make a
# round of calls against the running service. Checks the document with Redocly's recommended rules first. Our own
# client, packed, makes its tour on Deno and Bun, as tests let it make on Node and in Chromium.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

GENERATOR=7.18.0
root=$PWD
work=$(mktemp -d)
service=
cleanup() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -z "$service" ] || wait "$service" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

export BANK_API_KEY=generated-clients BANK_API_SECRET=generated-clients-0123456789 BANK_COMPANY=company-one
export BANK_EMAIL=ada@example.com BANK_PASSWORD=generated-clients-0123456789
: >"$work/service.log"
DATA_DIR="$work/data" PORT=0 LOG_LEVEL=info RATE_LIMIT_PER_MINUTE=1000000 BOOTSTRAP_COMPANY_ID=$BANK_COMPANY \
  BOOTSTRAP_API_KEY=$BANK_API_KEY BOOTSTRAP_API_SECRET=$BANK_API_SECRET \
  BOOTSTRAP_ADMIN_EMAIL=$BANK_EMAIL BOOTSTRAP_ADMIN_PASSWORD=$BANK_PASSWORD \
  node_modules/.bin/node src/main.ts >"$work/service.log" 2>&1 &
service=$!
for _ in $(seq 1 150); do
  BANK_URL=$(sed -n 's/.*"url":"\(http[^"]*\)".*/\1/p' "$work/service.log")
  [ -z "$BANK_URL" ] || break
  kill -0 "$service" 2>/dev/null || { cat "$work/service.log" >&2; exit 1; }
  sleep 0.2
done
export BANK_URL
curl -sSf "$BANK_URL/openapi.json" -o "$work/openapi.json"

# Runs quietly; shows what was written when it fails.
quietly() {
  "$@" >"$work/out" 2>&1 || { tail -60 "$work/out" >&2; return 1; }
}

printf '\n-- Our own, packed, on Deno and Bun\n'
mkdir "$work/runtimes"
cp tests/clients/runtimes/* tests/clients/tour.js "$work/runtimes"
quietly npm pack ./sdk --pack-destination "$work"
(
  cd "$work/runtimes"
  export PATH="$root/node_modules/.bin:$PATH"
  # Both have their versions pinned, and each brings one binary of exactly that version: there is nothing to lock.
  quietly npm install --no-package-lock
  quietly npm install --no-package-lock --no-save --offline ../bank-connection-client-*.tgz
  node_modules/.bin/deno run --quiet --node-modules-dir=manual --allow-env --allow-net run-tour.js
  node_modules/.bin/bun run run-tour.js
)

printf '\n-- TypeScript, and the rules of Redocly\n'
mkdir "$work/typescript"
cp tests/clients/package.json tests/clients/package-lock.json tests/clients/tsconfig.json tests/clients/round.ts "$work/typescript"
(
  cd "$work/typescript"
  export PATH="$root/node_modules/.bin:$PATH"
  quietly npm ci
  quietly node node_modules/@redocly/cli/bin/cli.js lint --extends recommended "$work/openapi.json"
  quietly node node_modules/openapi-typescript/bin/cli.js "$work/openapi.json" -o types.d.ts
  node node_modules/typescript/bin/tsc
  node round.ts
)

printf '\n-- Python\n'
python3 -m venv "$work/venv"
quietly "$work/venv/bin/pip" install --disable-pip-version-check --requirement scripts/python-client-requirements.txt
printf 'package_name_override: bank_client\nproject_name_override: bank-client\n' >"$work/python.yaml"
(
  cd "$work"
  export PATH="$work/venv/bin:$PATH"
  quietly openapi-python-client generate --path openapi.json --output-path python --config python.yaml
  python -m compileall -q python
  PYTHONPATH="$work/python" python "$root/tests/clients/round.py"
)

(cd "$work" && quietly mvn -B -ntp dependency:copy "-Dartifact=org.openapitools:openapi-generator-cli:$GENERATOR" -DoutputDirectory=.)
generate() {
  quietly java -jar "$work/openapi-generator-cli-$GENERATOR.jar" generate -i "$work/openapi.json" "$@"
}

printf '\n-- Java\n'
generate -g java --library native -o "$work/java" --invoker-package bank.client --api-package bank.client.api \
  --model-package bank.client.model --additional-properties=hideGenerationTimestamp=true
mkdir -p "$work/java/src/main/java/bank/round"
cp tests/clients/Round.java "$work/java/src/main/java/bank/round"
(
  cd "$work/java"
  quietly mvn -B -ntp compile dependency:build-classpath -Dmdep.outputFile=classpath
  java -cp "target/classes:$(cat classpath)" bank.round.Round
)

printf '\n-- Go\n'
generate -g go -o "$work/go" --additional-properties=packageName=bank,enumClassPrefix=true
rm -rf "$work/go/test"
cp tests/clients/round_test.go "$work/go"
(
  cd "$work/go"
  quietly go test -count=1 -v -run TestRound .
  grep 'transactions$' "$work/out"
)
