import type { MouseEvent } from "react";
import { type Entry, sentenceOf } from "@/components/audit/entry";
import classes from "./entry-table.module.css";

const isPlainClick = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0);

/** Who did what to what, as the link that opens the entry; beneath it what went wrong. */
export function Sentence({ entry, onOpen }: { entry: Entry; onOpen: (id: string) => void }) {
  const { actor, before, target, after } = sentenceOf(entry);
  const follow = (event: MouseEvent) => {
    if (!isPlainClick(event)) return;
    event.preventDefault();
    onOpen(entry.id);
  };
  return (
    <>
      <a href={`/audit/${entry.id}`} className={classes.sentence} data-entry={entry.id} onClick={follow}>
        <b>{actor}</b> {before} {target && <b>{target}</b>} {after}
      </a>
      {entry.result !== "success" && entry.errorMessage && <span className={classes.error}>{entry.errorMessage}</span>}
    </>
  );
}
