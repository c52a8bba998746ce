#!/usr/bin/env bash
#: name         Check for a pending restart
#: description  Reports whether a restart is pending, and why. Exit code 1 when it is.
#: category     updates
#: os           linux
#: runAs        system
#: timeout      60
#: version      1.0.0
#: updated      2026-08-30
set -euo pipefail

reasons=()
if [[ -e /var/run/reboot-required ]]; then
  packages="$(sort -u /var/run/reboot-required.pkgs 2>/dev/null | paste -sd ' ' - || true)"
  reasons+=("packages: ${packages:-not named}")
fi
if command -v needs-restarting >/dev/null && ! needs-restarting -r >/dev/null 2>&1; then
  reasons+=("updated libraries")
fi
running="$(uname -r)"
newest="$(find /lib/modules -mindepth 1 -maxdepth 1 -type d -printf '%f\n' 2>/dev/null | sort -V | tail -n 1 || true)"
if [[ -n "$newest" && "$newest" != "$running" && -d "/lib/modules/$running" ]]; then
  reasons+=("kernel $newest is installed, $running runs")
fi

echo "Up since $(uptime -s)"
if [[ ${#reasons[@]} -eq 0 ]]; then
  echo "No restart is pending"
  exit 0
fi
printf 'A restart is pending: %s\n' "${reasons[@]}"
exit 1
