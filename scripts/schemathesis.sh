#!/usr/bin/env bash
# Holds the running service against its own document with Schemathesis, which knows nothing of the code behind: as an API key, as the admin
# who is signed in, and as who runs the service.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
service=
cleanup() {
  [ -z "$service" ] || kill "$service" 2>/dev/null || true
  [ -z "$service" ] || wait "$service" 2>/dev/null || true
  rm -rf "$work"
}
trap cleanup EXIT

python3 -m venv "$work/venv"
"$work/venv/bin/pip" install --quiet --disable-pip-version-check --requirement scripts/schemathesis-requirements.txt

: >"$work/service.log"
key=schemathesis
secret=schemathesis-secret-0123456789
password=schemathesis-password
operator=schemathesis-operator-token-0123456789
# The limits are those of a client gone mad, which this is.
DATA_DIR="$work/data" PORT=0 LOG_LEVEL=info OPERATOR_TOKEN=$operator \
  BOOTSTRAP_COMPANY_ID=company-one BOOTSTRAP_API_KEY=$key BOOTSTRAP_API_SECRET=$secret \
  BOOTSTRAP_ADMIN_EMAIL=admin@example.com BOOTSTRAP_ADMIN_PASSWORD=$password \
  RATE_LIMIT_PER_MINUTE=1000000000 AUTH_FAILURES_PER_MINUTE=1000000000 \
  node_modules/.bin/node src/main.ts >"$work/service.log" 2>&1 &
service=$!
for _ in $(seq 1 150); do
  url=$(sed -n 's/.*"url":"\(http[^"]*\)".*/\1/p' "$work/service.log")
  [ -z "$url" ] || break
  kill -0 "$service" 2>/dev/null || { cat "$work/service.log" >&2; exit 1; }
  sleep 0.2
done

# The token lasts 15 minutes. What would end it needs the admin's password or refresh token, which Schemathesis does not have, or is a
# change of users, which comes last.
token=$(node_modules/.bin/node -e '
  const [url, email, password] = process.argv.slice(1);
  const body = JSON.stringify({ email, password });
  fetch(`${url}/auth/login`, { method: "POST", headers: { "content-type": "application/json" }, body })
    .then((answer) => answer.json())
    .then(({ result }) => console.log(result.accessToken));
' "$url" admin@example.com "$password")

cat >"$work/schemathesis.toml" <<TOML
hooks = "$PWD/scripts/schemathesis_hooks.py"

# Unknown headers have to be passed over (RFC 9110, section 5.1). The switch takes unknown query parameters along, which
# tests/hard/negative.test.ts sends to every operation.
[generation]
allow-extra-parameters = false

[checks.negative_data_rejection]
# 431: a cursor of 4,096 letters of four bytes each, percent-encoded, is more than the 16 KiB that headers may have.
expected-statuses = [400, 401, 403, 404, 405, 409, 413, 415, 422, 429, 431]

# A position that has not been written yet is waited for, 5 seconds at most, and then answered 503, as documented.
[[operations]]
include-operation-id = "exportHistory"
checks.not_a_server_error.expected-statuses = ["2xx", "4xx", 503]
TOML

checks=(
  not_a_server_error
  status_code_conformance
  content_type_conformance
  response_schema_conformance
  response_headers_conformance
  negative_data_rejection
)

# A name, then the options that say who asks and what.
run() {
  printf '\n-- Schemathesis %s\n' "$1"
  shift
  # --phases without `stateful`: it makes links between operations up, of which the tests of this repository make the real ones.
  # --seed, --generation-database none: the same requests in every run.
  # --max-examples: all runs together take some two minutes on two cores.
  # --request-timeout: for what hangs; ten seconds, the default, also pass where other programs take most of the processors.
  # --warnings off: most made-up ids do not exist and many bodies break a rule that only words can say; neither is a fault.
  (cd "$work" && "$work/venv/bin/schemathesis" --config-file "$work/schemathesis.toml" run "$url/openapi.json" \
    --checks "$(IFS=,; echo "${checks[*]}")" --phases examples,coverage,fuzzing --mode all \
    --max-examples 12 --seed 20261121 --generation-database none --continue-on-failure --request-timeout 60 --workers 2 --warnings off --no-color \
    --header 'x-company-id: company-one' "$@") || { grep '"level":"error"' "$work/service.log" | tail -5 | cut -c1-2000 >&2; return 1; }
}

run 'as an API key' --header "x-api-key: $key" --header "x-api-secret: $secret" --exclude-path-regex '^/operator'
run 'as who runs the service' --header "authorization: Bearer $operator" --include-path-regex '^/operator'
run 'as the admin' --header "authorization: Bearer $token" --exclude-path-regex '^/operator' --exclude-operation-id changeUser
run 'as the admin, on users' --header "authorization: Bearer $token" --include-operation-id changeUser
