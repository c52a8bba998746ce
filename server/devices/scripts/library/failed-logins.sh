#!/usr/bin/env bash
#: name         Summarise failed sign-ins
#: description  Counts failed sign-ins over SSH and at the console by user and address within the last hours.
#: category     security
#: os           linux
#: runAs        system
#: timeout      120
#: version      1.0.0
#: updated      2026-09-21
#: param        HOURS | number | 24 | How far back to look
set -euo pipefail
HOURS="${HOURS:-24}"

read_log() {
  if command -v journalctl >/dev/null && journalctl --quiet --lines=1 --no-pager >/dev/null 2>&1; then
    journalctl --since="$HOURS hours ago" --no-pager --output=cat SYSLOG_FACILITY=10 + SYSLOG_FACILITY=4
  else
    cat /var/log/auth.log /var/log/secure 2>/dev/null || true
  fi
}
failures="$(read_log | grep -E 'Failed password|authentication failure|Invalid user' || true)"
if [[ -z "$failures" ]]; then
  echo "No failed sign-ins"
  exit 0
fi
echo "$(wc -l <<<"$failures" | tr -d ' ') failed attempts; by address:"
grep -oE 'from [0-9a-fA-F.:]+|rhost=[^ ]+' <<<"$failures" | sed -E 's/^(from |rhost=)//' | sort | uniq -c | sort -rn | head -n 20 || true
echo "by user:"
grep -oE '(for invalid user|for|Invalid user|user=) ?[^ ]+' <<<"$failures" | awk '{ sub(/^.*user=/, "", $NF); print $NF }' | sort | uniq -c | sort -rn | head -n 20 || true
