import Link from "next/link";
import { createContext, type MouseEvent, type ReactNode, useContext } from "react";
import { ActorType } from "@/components/audit/actor-type";
import { CELL, type Context, doorOf } from "@/components/audit/cells";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Marked } from "@/components/audit/marked";
import { ResultBadge } from "@/components/audit/result-badge";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { ago } from "@/components/format/relative";
import { clock } from "@/components/format/time";
import { firstChange } from "@/server/audit/first-change";
import { actorOf, errorOf } from "@/server/audit/sentence";
import { ACTOR_TYPE_LABEL } from "@/server/audit/vocabulary";
import classes from "./entry-table.module.css";

const isPlainClick = (event: MouseEvent) => !(event.metaKey || event.ctrlKey || event.shiftKey || event.button !== 0);

/** The sentence of the entry as the link that opens it, followed by the reason of a failure or the first change. */
function Sentence({ entry, onOpen }: { entry: Entry; onOpen: (id: string) => void }) {
  const error = errorOf(entry);
  const change = firstChange(entry.details);
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
      {change && (
        <span className={classes.change} dir="auto">
          <Marked text={change} />
        </span>
      )}
    </>
  );
}

type DoorProps = { column: ColumnId; entry: Entry; label?: string; children: ReactNode };

/** A cell's value linked to its page. Not in the tab order: the keyboard uses the cell's menu, on "m". */
function Door({ column, entry, label, children }: DoorProps) {
  const href = children && doorOf(column, entry);
  if (!href) return children;
  return (
    <Link href={href} prefetch={false} tabIndex={-1} className={classes.door} aria-label={label}>
      {children}
    </Link>
  );
}

/** Context of a cell besides its entry; now: for relative times such as "3 min". */
type CellContext = Context & { now: Date; onOpen: (id: string) => void };

/** The table's columns and what its cells need. Separate from useViewer: memoized rows must not follow every change. */
export const TableContext = createContext<{ columns: Column[]; context: CellContext } | null>(null);

export function useTable() {
  const table = useContext(TableContext);
  if (!table) throw new Error("useTable belongs under TableContext");
  return table;
}

export type CellRef = { entry: Entry; column: ColumnId; cell: HTMLElement };

export type Column = {
  id: ColumnId;
  header: string;
  cell: (entry: Entry, context: CellContext) => ReactNode;
  /** In pixels, until the user resizes it; 0 takes the remaining width. */
  width: number;
  /** The table width from which the column is shown: "narrow" 740 pixels, "medium" 860, "wide" 1,400 (1,040 if chosen). */
  from?: "narrow" | "medium" | "wide";
  /** Numbers are right-aligned. */
  align?: "end";
};

/** A cell's text, linked to its page; a resource type has the page of its resource, which is not linked here. */
const textOf =
  (column: ColumnId): Column["cell"] =>
  (entry, context) => {
    const { text } = CELL[column](entry, context);
    return column === "resourceType" ? (
      text
    ) : (
      <Door column={column} entry={entry}>
        {text}
      </Door>
    );
  };

const ALL: readonly Column[] = [
  {
    id: "time",
    header: "Time",
    cell: (entry, { zone, now }) => (
      <time dateTime={entry.timestamp} data-card>
        {clock(entry.timestamp, zone)} <span className={classes.ago}>· {ago(entry.timestamp, now)}</span>
      </time>
    ),
    width: 146,
  },
  {
    id: "type",
    header: "Actor",
    cell: (entry) => (
      <Door column="type" entry={entry} label={`${ACTOR_TYPE_LABEL[entry.actorType]}: ${actorOf(entry)}`}>
        <ActorType type={entry.actorType} />
      </Door>
    ),
    width: 92,
    from: "medium",
  },
  {
    id: "event",
    header: "Entry",
    cell: (entry, { onOpen }) => <Sentence entry={entry} onOpen={onOpen} />,
    width: 0,
  },
  {
    id: "action",
    header: "Action",
    cell: (entry) => <code>{entry.action}</code>,
    width: 196,
    from: "wide",
  },
  {
    id: "org",
    header: "Organization",
    cell: textOf("org"),
    width: 156,
    from: "narrow",
  },
  {
    id: "resourceType",
    header: "Resource type",
    cell: textOf("resourceType"),
    width: 128,
  },
  {
    id: "device",
    header: "Device",
    cell: textOf("device"),
    width: 140,
  },
  {
    id: "ip",
    header: "From",
    cell: (entry) => (
      <>
        <Door column="ip" entry={entry}>
          {entry.ipAddress}
        </Door>
        {entry.firstSeen?.includes("address") && (
          <span className={`${classes.ago} ${classes.new}`} title="First entry of this actor from this address">
            {" "}
            new
          </span>
        )}
      </>
    ),
    width: 148,
    from: "narrow",
  },
  {
    id: "email",
    header: "E-mail",
    cell: textOf("email"),
    width: 200,
  },
  {
    id: "seq",
    header: "Sequence",
    cell: (entry) => <span className="tm-figures">{entry.chainSeq}</span>,
    width: 92,
    align: "end",
  },
  {
    id: "result",
    header: "Result",
    cell: (entry) => <ResultBadge result={entry.result} />,
    width: 116,
  },
];

export const COLUMN = Object.fromEntries(ALL.map((column) => [column.id, column])) as Record<ColumnId, Column>;

/** The minimum width of the event's sentence. */
const MIN_EVENT_PX = 260;
const TIERS: Record<"base" | "narrow" | "medium" | "wide", readonly Column["from"][]> = {
  base: [undefined],
  narrow: [undefined, "narrow"],
  medium: [undefined, "narrow", "medium"],
  wide: [undefined, "narrow", "medium", "wide"],
};

export const widthOf = ({ id, width }: Column, widths: Widths): number => (width === 0 ? 0 : (widths[id] ?? width));

/** The width below which the columns of a tier do not fit. */
export function minWidth(columns: Column[], widths: Widths, tier: keyof typeof TIERS): number {
  const shown = columns.filter(({ from }) => TIERS[tier].includes(from));
  return shown.reduce((sum, column) => sum + (widthOf(column, widths) || MIN_EVENT_PX), 0);
}
