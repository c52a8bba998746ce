#!/usr/bin/env bash
#: name         Clean up disk space
#: description  Empties package caches, trims the journal and removes old files from /tmp and /var/tmp, and says how much space came free.
#: category     disk
#: os           linux
#: runAs        system
#: timeout      900
#: version      1.1.0
#: updated      2026-11-02
#: param        DAYS | number | 14 | Age in days from which a temporary file goes
#: param        JOURNAL_SIZE | string | 200M | The journal is trimmed to this size
set -euo pipefail
DAYS="${DAYS:-14}"
JOURNAL_SIZE="${JOURNAL_SIZE:-200M}"

free_kib() { df -Pk / | awk 'NR == 2 { print $4 }'; }
before="$(free_kib)"

if command -v apt-get >/dev/null; then
  apt-get clean
elif command -v dnf >/dev/null; then
  dnf clean all --quiet
elif command -v zypper >/dev/null; then
  zypper --quiet clean
fi
if command -v journalctl >/dev/null; then
  journalctl --quiet --vacuum-size="$JOURNAL_SIZE" || true
fi
# Same file system only; sockets and files in use by age rules of their own stay.
find /tmp /var/tmp -xdev -type f -mtime "+$DAYS" -atime "+$DAYS" -delete 2>/dev/null || true

after="$(free_kib)"
echo "$(((after - before) / 1024)) MiB freed, $((after / 1024)) MiB free on /"
