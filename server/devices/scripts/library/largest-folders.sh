#!/usr/bin/env bash
#: name         Find the largest folders
#: description  Lists the largest folders and files below a path, without leaving its file system.
#: category     disk
#: os           linux, macos
#: runAs        system
#: timeout      900
#: version      1.0.0
#: updated      2026-10-05
#: param        START | string | / | Where to look
#: param        COUNT | number | 20 | How many to list
set -euo pipefail
START="${START:-/}"
COUNT="${COUNT:-20}"

echo "Folders:"
{ du -xk "$START" 2>/dev/null || true; } | sort -rn | awk -v count="$COUNT" 'NR <= count' |
  awk '{ size = $1; sub(/^[0-9]+[ \t]+/, ""); printf "%10.1f MiB  %s\n", size / 1024, $0 }'
echo "Files:"
{ find "$START" -xdev -type f -size +102400k -exec du -k {} + 2>/dev/null || true; } | sort -rn |
  awk -v count="$COUNT" 'NR <= count { size = $1; sub(/^[0-9]+[ \t]+/, ""); printf "%10.1f MiB  %s\n", size / 1024, $0 }'
