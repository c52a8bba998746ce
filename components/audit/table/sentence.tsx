import type { MouseEvent } from "react";
import { type Entry, errorOf } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Marked } from "@/components/audit/marked";
import classes from "./entry-table.module.css";

const isPlainClick = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0);

/** Who did what to what, as the link that opens the entry, with the error below it. */
export function Sentence({ entry, onOpen }: { entry: Entry; onOpen: (id: string) => void }) {
  const error = errorOf(entry);
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onOpen(entry.id);
  };
  return (
    <>
      <a href={`/audit/${entry.id}`} className={classes.sentence} data-entry={entry.id} onClick={follow}>
        <EntrySentence entry={entry} />
      </a>
      {error && (
        <span className={classes.error} dir="auto">
          <Marked text={error} />
        </span>
      )}
    </>
  );
}
