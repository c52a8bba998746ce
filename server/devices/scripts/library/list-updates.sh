#!/usr/bin/env bash
#: name         List available updates
#: description  Lists the packages that the distribution has updates for, security updates first where it tells them apart. Exit code 1 when there are any.
#: category     updates
#: os           linux
#: runAs        system
#: timeout      300
#: version      1.0.0
#: updated      2026-10-20
set -euo pipefail

if command -v apt-get >/dev/null; then
  apt-get update -qq
  list="$(apt list --upgradable 2>/dev/null | grep -v '^Listing' | awk '{ print (/-security/ ? "security " : "other    ") $0 }' | sort -r || true)"
elif command -v dnf >/dev/null; then
  list="$(dnf -q check-update 2>/dev/null | awk 'NF == 3' || true)"
elif command -v zypper >/dev/null; then
  list="$(zypper --quiet list-updates | awk '/^v/' || true)"
else
  echo "No known package manager" >&2
  exit 2
fi
if [[ -z "$list" ]]; then
  echo "The system is up to date"
  exit 0
fi
echo "$list"
exit 1
