#!/bin/sh
# replay.sh FROM TO [--send]: gateway events between two times, oldest first.
set -eu
from=$1 to=$2 send=${3:-}
curl -fsS "$GATEWAY_URL/events?from=$from&to=$to" | while read -r event; do
  if [ "$send" = --send ]; then
    printf '%s' "$event" | curl -fsS -X POST --data-binary @- "$BILLING_URL/webhooks/replay"
  else
    printf '%s\n' "$event"
  fi
done
