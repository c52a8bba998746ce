"use client";

import { ChevronRight } from "lucide-react";
import type { ReactNode } from "react";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { type Line, organizationsIn } from "@/components/audit/state/lines";
import { count, counted } from "@/components/format/amounts";
import { clock, dateTime, shortDate } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { useTable } from "./columns";
import classes from "./fold-row.module.css";

type Fold = Exclude<Line, { kind: "entry" }>;
type Props = { line: Fold; isOpen: boolean; onToggle: () => void };

/** Many entries on one line: what they are, how many, and from when to when; a click unfolds them. */
export function FoldRow({ line, isOpen, onToggle }: Props) {
  const { columns } = useTable();
  const always = columns.filter(({ from }) => !from);
  return (
    <tr className={classes.fold}>
      <td colSpan={always.length}>
        <button
          type="button"
          className={classes.button}
          aria-expanded={isOpen}
          data-fold={line.key}
          onClick={onToggle}
          title={isOpen ? "Fold" : "Unfold"}
        >
          <ChevronRight size={14} aria-hidden className={classes.chevron} />
          <span className={classes.what}>
            <FoldText line={line} />
          </span>
          <FoldTimes line={line} />
        </button>
      </td>
      {columns
        .filter(({ from }) => from)
        .map(({ id, from }) => (
          <td key={id} data-from={from} />
        ))}
    </tr>
  );
}

const RepeatCount = ({ n }: { n: number }) => <b className="tm-figures">{` ×${count(n)}`}</b>;

function FoldText({ line }: { line: Fold }): ReactNode {
  if (line.kind === "routine")
    return (
      <>
        Routine telemetry{line.fold.actors !== null && ` from ${counted(line.fold.actors, "agent")}`}
        <RepeatCount n={line.fold.count} />
      </>
    );
  const { entries, isTruncated } = line;
  const [first] = entries;
  const organizations = organizationsIn(entries);
  if (!first) return null;
  return (
    <>
      <EntrySentence entry={first} />
      {organizations > 1 && ` in ${counted(organizations, "organization")}`}
      {organizations < entries.length && <RepeatCount n={entries.length} />}
      {isTruncated && " on this page"}
    </>
  );
}

/** "00:05:10 to 05:55:12": the times of the first and last entry, with dates if these differ. */
function FoldTimes({ line }: { line: Fold }) {
  const { zone } = useZone();
  const [first, last] =
    line.kind === "routine"
      ? [line.fold.first, line.fold.last]
      : [line.entries.at(-1)?.timestamp ?? "", line.entries[0]?.timestamp ?? ""];
  const format = shortDate(first, zone) === shortDate(last, zone) ? clock : dateTime;
  return (
    <span className={classes.span}>
      <time dateTime={first}>{format(first, zone)}</time>
      {first !== last && (
        <>
          {" to "}
          <time dateTime={last}>{format(last, zone)}</time>
        </>
      )}
    </span>
  );
}
