#!/usr/bin/env bash
#: name         List available updates
#: description  Lists the updates that macOS offers and whether they need a restart. Exit code 1 when there are any.
#: category     updates
#: os           macos
#: runAs        system
#: timeout      300
#: version      1.0.0
#: updated      2026-10-20
set -euo pipefail

list="$(softwareupdate --list 2>&1)"
if grep -q 'No new software available' <<<"$list"; then
  echo "The system is up to date"
  exit 0
fi
grep -E '^\* Label|Title:' <<<"$list"
exit 1
