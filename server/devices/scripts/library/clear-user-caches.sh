#!/usr/bin/env bash
#: name         Clear user caches
#: description  Removes old files from every user's cache folder and from the system's, and says how much space came free.
#: category     disk
#: os           macos
#: runAs        system
#: timeout      900
#: version      1.0.0
#: updated      2026-10-05
#: param        DAYS | number | 14 | Age in days from which a cached file goes
set -euo pipefail
DAYS="${DAYS:-14}"

free_kib() { df -Pk / | awk 'NR == 2 { print $4 }'; }
before="$(free_kib)"
for folder in /Users/*/Library/Caches /Library/Caches; do
  [[ -d "$folder" ]] || continue
  find "$folder" -xdev -type f -mtime "+$DAYS" -delete 2>/dev/null || true
done
after="$(free_kib)"
echo "$(((after - before) / 1024)) MiB freed, $((after / 1024)) MiB free"
