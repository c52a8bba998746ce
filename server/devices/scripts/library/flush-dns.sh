#!/usr/bin/env bash
#: name         Flush the DNS cache
#: description  Empties the cache of whichever resolver the system uses and resolves a name as a trial.
#: category     network
#: os           linux, macos
#: runAs        system
#: timeout      60
#: version      1.1.0
#: updated      2026-11-02
#: param        TEST_NAME | string | example.com | Name to resolve afterwards
set -euo pipefail
TEST_NAME="${TEST_NAME:-example.com}"

if [[ "$(uname -s)" == Darwin ]]; then
  dscacheutil -flushcache
  killall -HUP mDNSResponder
  echo "flushed mDNSResponder"
  dscacheutil -q host -a name "$TEST_NAME" | grep ip_address || { echo "$TEST_NAME does not resolve" >&2; exit 1; }
  exit 0
fi

flushed=none
if command -v resolvectl >/dev/null && resolvectl flush-caches 2>/dev/null; then flushed=systemd-resolved; fi
if pgrep -x nscd >/dev/null; then nscd --invalidate=hosts && flushed=nscd; fi
if pgrep -x dnsmasq >/dev/null; then pkill -HUP -x dnsmasq && flushed=dnsmasq; fi
echo "flushed: $flushed"
getent hosts "$TEST_NAME" || { echo "$TEST_NAME does not resolve" >&2; exit 1; }
