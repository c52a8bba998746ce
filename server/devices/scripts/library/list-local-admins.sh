#!/usr/bin/env bash
#: name         List local administrators
#: description  Lists who may act as root: accounts with user id 0, members of the administrators' groups and rules of sudo.
#: category     security
#: os           linux, macos
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-09-14
set -euo pipefail

if [[ "$(uname -s)" == Darwin ]]; then
  echo "Members of admin:"
  dscl . -read /Groups/admin GroupMembership | cut -d' ' -f2- | tr ' ' '\n'
else
  echo "Accounts with user id 0:"
  awk -F: '$3 == 0 { print $1 }' /etc/passwd
  for group in sudo wheel admin; do
    members="$(getent group "$group" | cut -d: -f4 || true)"
    [[ -n "$members" ]] && echo "Members of $group: $members"
  done
fi
echo "Rules of sudo:"
cat /etc/sudoers /etc/sudoers.d/* 2>/dev/null | grep -vE '^[[:space:]]*(#|$|Defaults)' || true
