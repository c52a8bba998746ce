import Link from "next/link";
import { type Entry, sentenceOf } from "@/components/audit/entry";
import classes from "./entry-link.module.css";

/** An entry's sentence, who and what in weight, as the way to the entry's own page. */
export function EntryLink({ entry }: { entry: Entry }) {
  const { actor, before, target, after } = sentenceOf(entry);
  return (
    <Link href={`/audit/${entry.id}`} prefetch={false} className={classes.link}>
      <b>{actor}</b> {before} {target && <b>{target}</b>} {after}
    </Link>
  );
}
