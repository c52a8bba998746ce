#!/usr/bin/env bash
#: name         Clear the print queue
#: description  Cancels every print job of CUPS, enables printers that stopped and shows their state.
#: category     printing
#: os           linux, macos
#: runAs        system
#: timeout      120
#: version      1.0.0
#: updated      2026-10-20
set -euo pipefail

if ! command -v cancel >/dev/null; then
  echo "CUPS is not installed." >&2
  exit 2
fi
jobs="$(lpstat -o 2>/dev/null | wc -l | tr -d ' ')"
cancel -a || true
lpstat -p 2>/dev/null | awk '$1 == "printer" && /disabled/ { print $2 }' | while IFS= read -r printer; do
  cupsenable "$printer" && echo "enabled $printer"
done
echo "$jobs jobs cancelled"
lpstat -p 2>/dev/null || echo "no printers"
