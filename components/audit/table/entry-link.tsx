import Link from "next/link";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import classes from "./entry-link.module.css";

/** An entry's sentence, with actor and names emphasized, as a link to the entry's page. */
export function EntryLink({ entry }: { entry: Entry }) {
  return (
    <Link href={`/audit/${entry.id}`} prefetch={false} className={classes.link}>
      <EntrySentence entry={entry} />
    </Link>
  );
}
