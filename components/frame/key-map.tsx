"use client";

import { Group, Kbd, Stack, Text } from "@mantine/core";
import { Dialog } from "@/components/ui/dialogs/dialog";

const KEYS: [string, [string[], string][]][] = [
  [
    "Everywhere",
    [
      [["Ctrl", "K"], "Go to a page, view, person, device or organization (Cmd K on a Mac)"],
      [["?"], "This list"],
      [["Esc"], "Close what is open"],
      [["Tab"], "Next control; the first one skips the navigation"],
    ],
  ],
  [
    "In the audit log",
    [
      [["/"], "Go to the search box"],
      [["j", "k"], "Next and previous entry; on one, ↓ and ↑ too"],
      [["Enter"], "Open the entry, or unfold what is folded"],
      [["f"], "Fold repeats and routine telemetry, or show them all"],
      [["t"], "Its time in UTC, your zone and seconds since 1970"],
      [["m"], "Filter by a cell, exclude it or copy it; ← and → move between cells"],
      [["a"], "Everything around it: same session, actor, address or device"],
      [["p"], "Pin it, to compare it with another"],
      [["←", "→"], "Previous and next, while one is open"],
      [["Esc"], "Close it and return to the list"],
      [["e"], "Export the entries in the list"],
      [["l"], "Turn the live view on or off"],
      [["Space"], "Pause or resume the live view"],
    ],
  ],
];

export function KeyMap({ onClose }: { onClose: () => void }) {
  return (
    <Dialog onClose={onClose} title="Keyboard" size="md">
      {KEYS.map(([group, keys]) => (
        <Stack component="section" key={group} gap={8} mb={20} aria-label={group}>
          <Text component="h3" size="xs" c="dimmed">
            {group}
          </Text>
          <Stack component="dl" gap={8}>
            {keys.map(([names, what]) => (
              <Group key={what} gap={12} align="baseline" wrap="nowrap">
                <Group component="dt" gap={4} w={92} flex="none">
                  {names.map((name) => (
                    <Kbd key={name}>{name}</Kbd>
                  ))}
                </Group>
                <dd>{what}</dd>
              </Group>
            ))}
          </Stack>
        </Stack>
      ))}
    </Dialog>
  );
}
