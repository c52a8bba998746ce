"use client";

import { FROM_START } from "@/components/audit/filters/address";
import classes from "@/components/audit/viewer.module.css";
import { useViewer } from "@/components/audit/viewer-context";
import { useZone } from "@/components/format/zone";
import { Message } from "@/components/ui/message";
import { misreadIn } from "./misread";
import { readLine } from "./question";

/** Says which parts of the search look like filters and are none, with what was probably meant at one press. */
export function MisreadNote() {
  const { view, setView, now } = useViewer();
  const { zone } = useZone();
  const text = view.q ?? "";
  const misread = misreadIn(text);
  if (misread.length === 0) return null;
  const read = async (part: string, instead: string) =>
    setView({ ...(await readLine(view, text.replace(part, instead), { zone, now })), ...FROM_START });
  return (
    <div className={classes.invalid}>
      <Message tone="warn">
        {misread.map(({ part, reason, instead }) => (
          <span key={part}>
            <code>{part}</code> {reason}; it was searched as text.{" "}
            {instead && (
              <button type="button" className={classes.textButton} onClick={() => void read(part, instead)}>
                Search for {instead} instead
              </button>
            )}{" "}
          </span>
        ))}
      </Message>
    </div>
  );
}
