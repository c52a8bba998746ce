import Link from "next/link";
import type { Entry } from "@/components/audit/entry";
import { Told } from "@/components/audit/told";
import classes from "./entry-link.module.css";

/** An entry's sentence, who and what in weight, as the way to the entry's own page. */
export function EntryLink({ entry }: { entry: Entry }) {
  return (
    <Link href={`/audit/${entry.id}`} prefetch={false} className={classes.link}>
      <Told entry={entry} />
    </Link>
  );
}
