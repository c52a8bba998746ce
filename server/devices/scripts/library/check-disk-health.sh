#!/usr/bin/env bash
#: name         Check disk health and space
#: description  Reports SMART health where smartctl is installed, and every file system that runs short of space or inodes. Exit code 1 when something is wrong.
#: category     disk
#: os           linux
#: runAs        system
#: timeout      120
#: version      1.0.0
#: updated      2026-10-05
#: param        MIN_FREE_PERCENT | number | 10 | Free space below this is reported
set -euo pipefail
MIN_FREE_PERCENT="${MIN_FREE_PERCENT:-10}"
faults=0

if command -v smartctl >/dev/null; then
  while IFS= read -r disk; do
    health="$(smartctl -H "$disk" | awk -F': *' '/overall-health|Health Status/ { print $2 }')"
    echo "$disk: ${health:-unknown}"
    case "${health:-PASSED}" in PASSED | OK) ;; *) faults=$((faults + 1)) ;; esac
  done < <(lsblk -dnpo NAME,TYPE | awk '$2 == "disk" { print $1 }')
else
  echo "smartctl is not installed; health is not checked"
fi

for what in space inodes; do
  flags=-Pk
  [[ "$what" == inodes ]] && flags=-Pi
  while read -r used mount; do
    free=$((100 - ${used%\%}))
    if ((free < MIN_FREE_PERCENT)); then
      echo "$mount: only $free % $what free"
      faults=$((faults + 1))
    fi
  done < <(df "$flags" -x tmpfs -x devtmpfs -x squashfs -x overlay 2>/dev/null | awk 'NR > 1 && $5 ~ /^[0-9]+%$/ { print $5, $6 }')
done
((faults == 0)) && echo "All is well"
((faults == 0))
