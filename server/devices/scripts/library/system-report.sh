#!/usr/bin/env bash
#: name         Collect a system report
#: description  Shows system, uptime, load, memory, file systems, addresses and what uses most processor time and memory.
#: category     diagnostics
#: os           linux, macos
#: runAs        system
#: timeout      120
#: version      1.0.0
#: updated      2026-08-30
set -uo pipefail

section() { printf '\n== %s ==\n' "$1"; }
section System
uname -a
uptime
if [[ "$(uname -s)" == Darwin ]]; then
  sw_vers
  section Memory
  vm_stat | head -n 8
  section Addresses
  ifconfig | grep 'inet '
else
  grep -E '^(PRETTY_NAME|VERSION_ID)=' /etc/os-release
  section Memory
  free -m
  section Addresses
  ip -brief address
  section "Failed units"
  systemctl --failed --no-legend --plain 2>/dev/null
fi
section "File systems"
df -h
section "Most processor time"
ps -Ao pid,pcpu,pmem,comm | sort -k2 -rn | awk 'NR <= 10'
section "Most memory"
ps -Ao pid,pcpu,pmem,comm | sort -k3 -rn | awk 'NR <= 10'
exit 0
