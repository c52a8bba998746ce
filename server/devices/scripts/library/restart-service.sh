#!/usr/bin/env bash
#: name         Restart a service
#: description  Restarts a systemd service, waits until it runs and shows its last log lines when it does not.
#: category     services
#: os           linux
#: runAs        system
#: timeout      180
#: version      1.0.0
#: updated      2026-09-14
#: param        SERVICE | string | | Name of the unit, for example nginx
set -euo pipefail
: "${SERVICE:?Set SERVICE to the name of the unit}"

if ! systemctl cat -- "$SERVICE" >/dev/null 2>&1; then
  echo "There is no unit '$SERVICE'." >&2
  exit 2
fi
systemctl restart -- "$SERVICE" || true
for _ in $(seq 1 30); do
  state="$(systemctl is-active -- "$SERVICE" || true)"
  [[ "$state" == active ]] && break
  sleep 1
done
echo "$SERVICE is $state"
if [[ "$state" != active ]]; then
  journalctl --unit="$SERVICE" --lines=20 --no-pager || true
  exit 1
fi
