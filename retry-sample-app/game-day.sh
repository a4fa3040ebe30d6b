#!/usr/bin/env bash
#
# A game day for the sample application: customers pay, search and get invoices, and for two minutes the payment gateway,
# the stock service and the mail server answer 503. See "A game day" in docs/tour.md.
#
# Usage: game-day.sh [url]      default http://localhost:8080
#   GAME_DAY_OUTAGE   how long the outage lasts, in seconds. Default 120
#   GAME_DAY_CALM     how long the load continues before and after it, in seconds. Default 20
#   GAME_DAY_LOAD     how many customers there are. Default 4
set -euo pipefail

readonly URL=${1:-http://localhost:8080}
readonly OUTAGE=${GAME_DAY_OUTAGE:-120}
readonly CALM=${GAME_DAY_CALM:-20}
readonly LOAD=${GAME_DAY_LOAD:-4}

stop=$(mktemp)
trap 'rm -f "$stop"' EXIT

say() {
  printf '%s  %s\n' "$(date +%T)" "$*"
}

ask() {
  curl --silent --output /dev/null --max-time 30 "$@" || true
}

# What a service answers next; then it is well again.
answer() {
  curl --silent --fail --output /dev/null --request POST "$URL/outside/$1?answers=$2"
}

# Nothing but 503 for a moment: more answers than all customers use up in a second.
broken() {
  local answers
  answers=$(printf '503,%.0s' {1..300})
  for service in payment stock mail; do
    answer "$service" "${answers%,}"
  done
}

# All is well, but for three invoices that the mail server refuses.
mended() {
  answer payment 200
  answer stock 200
  answer mail 422,422,422,200
}

customer() {
  while [[ -e $stop ]]; do
    ask --request POST "$URL/shop/payments?amount=20"
    ask "$URL/shop/search/lamp"
    ask --request POST "$URL/shop/invoices"
    sleep 0.2
  done
}

# Counts of one name since the start, as the endpoint shows them.
report() {
  local name counts
  for name in PaymentService.charge StockService.search InvoiceService.send; do
    counts=$(curl --silent "$URL/actuator/retryon/$name" |
      sed -nE 's/.*"calls":(\{.*\}),"retries":([0-9]+),"waiting":([0-9]+).*/\1 retries \2 waiting \3/p')
    printf '          %s %s\n' "$name" "$counts"
  done
}

curl --silent --fail --output /dev/null "$URL/actuator/health" || {
  echo "nothing answers at $URL: start the sample with: mvn -pl retry-sample-app -am -Dmaven.test.skip spring-boot:run" >&2
  exit 1
}
say "$LOAD customers begin; all is well for $CALM seconds"
for ((i = 0; i < LOAD; i++)); do
  customer &
done
sleep "$CALM"
report
say "the payment gateway, the stock service and the mail server break, for $OUTAGE seconds"
began=$SECONDS
reported=0
# By the clock: on a busy machine, a round takes longer than a second.
while ((SECONDS - began < OUTAGE)); do
  broken
  sleep 1
  if ((SECONDS - began >= reported + 20)); then
    ((reported += 20))
    say "broken for $reported seconds"
    report
  fi
done
mended
say "mended; the load continues for $CALM seconds"
sleep "$CALM"
rm -f "$stop"
wait
report
say "over. Dead letters: $URL/actuator/retryoncalls?state=dead"
