import { Kbd, Modal } from "@mantine/core";
import classes from "./viewer.module.css";

const KEYS: [string[], string][] = [
  [["/"], "Go to the search box"],
  [["j", "k"], "Next and previous entry"],
  [["Enter"], "Open the entry"],
  [["←", "→"], "Previous and next, while one is open"],
  [["Esc"], "Close, and back to where you were"],
  [["?"], "This list"],
];
const EXPORT: (typeof KEYS)[number] = [["e"], "Export what the list shows"];

/** What the keyboard does on this page. */
export function KeyHelp({ onClose, mayExport }: { onClose: () => void; mayExport: boolean }) {
  return (
    <Modal opened onClose={onClose} title="Keyboard" size="sm">
      <dl className={classes.keys}>
        {(mayExport ? [EXPORT, ...KEYS] : KEYS).map(([keys, what]) => (
          <div key={what} style={{ display: "contents" }}>
            <dt>
              {keys.map((key) => (
                <Kbd key={key}>{key}</Kbd>
              ))}
            </dt>
            <dd>{what}</dd>
          </div>
        ))}
      </dl>
    </Modal>
  );
}
