"use client";

import { FROM_START } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import classes from "@/components/audit/viewer.module.css";
import { useZone } from "@/components/format/zone";
import { Message } from "@/components/ui/notice";
import { invalidQualifiers } from "./invalid-qualifiers";
import { readTyped } from "./reader";

/** Lists parts of the search that look like filters but are not, each with a button for the probable intention. */
export function InvalidQualifiersNote() {
  const { view, setView } = useViewer();
  const { zone } = useZone();
  const text = view.q ?? "";
  const invalid = invalidQualifiers(text);
  if (invalid.length === 0) return null;
  const read = async (part: string, instead: string) =>
    setView({ ...(await readTyped(view, text.replace(part, instead), { zone, now: new Date() })), ...FROM_START });
  return (
    <div className={classes.invalid}>
      <Message tone="warn">
        {invalid.map(({ part, reason, instead }) => (
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
