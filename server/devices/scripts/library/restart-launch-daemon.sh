#!/usr/bin/env bash
#: name         Restart a launch daemon
#: description  Restarts a system service of macOS by its label and shows its state.
#: category     services
#: os           macos
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-09-21
#: param        LABEL | string | | Label of the daemon, for example com.apple.mDNSResponder
set -euo pipefail
: "${LABEL:?Set LABEL to the label of the daemon}"

if ! launchctl print "system/$LABEL" >/dev/null 2>&1; then
  echo "There is no daemon '$LABEL'." >&2
  exit 2
fi
launchctl kickstart -k "system/$LABEL"
sleep 2
launchctl print "system/$LABEL" | grep -E '^[[:space:]]*(state|pid|last exit code) ='
