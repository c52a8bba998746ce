"use client";

import { Kbd, Modal } from "@mantine/core";
import classes from "./key-map.module.css";

const KEYS: [string, [string[], string][]][] = [
  [
    "Everywhere",
    [
      [["Ctrl", "K"], "Go to a page, view, device or organization (Cmd K on a Mac)"],
      [["?"], "This list"],
      [["Esc"], "Close what is open"],
      [["Tab"], "On to the next thing; the first leads past the navigation"],
    ],
  ],
  [
    "In the audit log",
    [
      [["/"], "Go to the search box"],
      [["j", "k"], "Next and previous entry"],
      [["Enter"], "Open the entry"],
      [["m"], "Filter for a cell, filter it out, copy it; ← and → lead to the cells beside it"],
      [["←", "→"], "Previous and next, while one is open"],
      [["Esc"], "Close it, and back to where you were"],
      [["e"], "Export what the list shows"],
      [["l"], "Show new entries as they come, or stop"],
      [["Space"], "Pause and go on, while it is live"],
    ],
  ],
];

/** What the keyboard does. */
export function KeyMap({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard" size="md">
      {KEYS.map(([place, keys]) => (
        <section key={place} className={classes.group} aria-label={place}>
          <h3>{place}</h3>
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
