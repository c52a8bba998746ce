import { createContext, type MouseEvent, type ReactNode, useContext } from "react";
import { ActorType } from "@/components/audit/actor-type";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Marked } from "@/components/audit/marked";
import { ResultBadge } from "@/components/audit/result-badge";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { ago } from "@/components/format/relative";
import { clock } from "@/components/format/time";
import { firstChange } from "@/server/audit/first-change";
import { errorOf, hostOf } from "@/server/audit/sentence";
import { deviceNamed } from "@/server/audit/vocabulary";
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

/** What a cell needs besides its entry. */
export type CellContext = {
  zone: string;
  /** The current time, for relative times such as "3 min". */
  now: Date;
  orgName: (orgId: string) => string;
  onOpen: (id: string) => void;
};

/** The table's columns and what its cells need. Separate from useViewer: memoized rows must not follow every change. */
export const TableContext = createContext<{ columns: Column[]; context: CellContext } | null>(null);

export function useTable() {
  const table = useContext(TableContext);
  if (!table) throw new Error("useTable belongs under TableContext");
  return table;
}

/** A cell on the screen. */
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

/** The device that an entry is about, originates from, or mentions. */
export const deviceOf = (entry: Entry): string =>
  hostOf(entry) ?? (entry.resource.type === "device" ? entry.resource.name : (deviceNamed(entry.details) ?? ""));

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
    cell: (entry) => <ActorType type={entry.actorType} />,
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
    cell: (entry, { orgName }) => orgName(entry.orgId),
    width: 148,
    from: "narrow",
  },
  {
    id: "resourceType",
    header: "Resource type",
    cell: (entry) => entry.resource.type,
    width: 128,
  },
  { id: "device", header: "Device", cell: deviceOf, width: 140 },
  {
    id: "ip",
    header: "From",
    cell: ({ ipAddress, firstSeen }) => (
      <>
        {ipAddress}
        {firstSeen?.includes("address") && <span className={`${classes.ago} ${classes.new}`}> new address</span>}
      </>
    ),
    width: 128,
    from: "narrow",
  },
  {
    id: "email",
    header: "E-mail",
    cell: (entry) => entry.user.email,
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
