"use client";

import { Kbd, Modal } from "@mantine/core";
import { useReturnedFocus } from "@/components/ui/dialogs/use-returned-focus";
import classes from "./key-map.module.css";

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
  useReturnedFocus();
  return (
    <Modal opened onClose={onClose} title="Keyboard" size="md">
      {KEYS.map(([group, keys]) => (
        <section key={group} className={classes.group} aria-label={group}>
          <h3>{group}</h3>
          <dl>
            {keys.map(([names, what]) => (
              <div key={what}>
                <dt>
                  {names.map((name) => (
                    <Kbd key={name}>{name}</Kbd>
                  ))}
                </dt>
                <dd>{what}</dd>
              </div>
            ))}
          </dl>
        </section>
      ))}
    </Modal>
  );
}
