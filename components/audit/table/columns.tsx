import Link from "next/link";
import { createContext, type MouseEvent, type ReactNode, useContext } from "react";
import { ActorType } from "@/components/audit/actor-type";
import { actorPath, addressPath, type Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { Marked } from "@/components/audit/marked";
import { ResultBadge } from "@/components/audit/result-badge";
import { actorIdOf, resourceIdOf } from "@/components/audit/state/describe-filters";
import type { ColumnId, Widths } from "@/components/audit/state/table-params";
import { ago } from "@/components/format/relative";
import { clock, dateTime } from "@/components/format/time";
import { firstChange } from "@/server/audit/first-change";
import type { FilterName } from "@/server/audit/query/catalogue";
import { actorOf, errorOf, hostOf } from "@/server/audit/sentence";
import { ACTOR_TYPE_LABEL, deviceNamed, RESULT_LABEL } from "@/server/audit/vocabulary";
import { mapValues } from "@/server/ground/records";
import classes from "./entry-table.module.css";

/** The device that an entry is about, originates from, or mentions. */
const deviceOf = (entry: Entry): string =>
  hostOf(entry) ?? (entry.resource.type === "device" ? entry.resource.name : (deviceNamed(entry.details) ?? ""));

/** Entries contain the id of their own device only; other devices are looked up by name. */
function devicePage(entry: Entry): string | null {
  const host = deviceOf(entry);
  const id = resourceIdOf(entry);
  if (entry.resource.type === "device" && entry.resource.name === host && id) return `/devices/${id}`;
  return host ? `/devices?search=${encodeURIComponent(host)}` : null;
}

/** An agent's page is its device's. */
function actorPage(entry: Entry): string | null {
  if (hostOf(entry)) return devicePage(entry);
  const id = actorIdOf(entry);
  return id ? actorPath(id) : null;
}

const TARGET_PATH: Readonly<Record<string, (id: string) => string>> = {
  device: (id) => `/devices/${id}`,
  organization: (id) => `/organizations/${id}`,
  user: actorPath,
  api_key: actorPath,
};

function targetPage(entry: Entry): string | null {
  const id = resourceIdOf(entry);
  return (id && TARGET_PATH[entry.resource.type]?.(id)) ?? null;
}

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

type PageLinkProps = { href: string | null | undefined; label?: string; children: ReactNode };

/** A cell's value linked to its page. Not in the tab order: the keyboard uses the cell's menu, on "m". */
function PageLink({ href, label, children }: PageLinkProps) {
  if (!href || !children) return children;
  return (
    <Link href={href} prefetch={false} tabIndex={-1} className={classes.door} aria-label={label}>
      {children}
    </Link>
  );
}

export type Context = { zone: string; orgName: (orgId: string) => string };
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
  /** The value as text: copied, and named in menus. */
  text: (entry: Entry, context: Context) => string;
  /** The filter for the value; `value` in the URL if it is not the text. */
  filter?: FilterName;
  value?: (entry: Entry) => string | null;
  /** URL of the page for the value; null without one. */
  page?: (entry: Entry) => string | null;
  /** Content of the cell, by default the text, linked to its page. */
  show?: (entry: Entry, context: CellContext) => ReactNode;
  /** In pixels, until the user resizes it; 0 takes the remaining width. */
  width: number;
  /** The table width from which the column is shown: "narrow" 740 pixels, "medium" 860, "wide" 1,400 (1,040 if chosen). */
  from?: "narrow" | "medium" | "wide";
  /** Numbers are right-aligned. */
  align?: "end";
  /** Its area in the card of a phone; without one it is a line of it, if chosen. */
  place?: "event" | "time" | "type" | "org" | "result";
};

const COLUMNS: Record<ColumnId, Omit<Column, "id">> = {
  time: {
    header: "Time",
    text: ({ timestamp }, { zone }) => dateTime(timestamp, zone),
    show: ({ timestamp }, { zone, now }) => (
      <time dateTime={timestamp} data-card>
        {clock(timestamp, zone)} <span className={classes.ago}>· {ago(timestamp, now)}</span>
      </time>
    ),
    width: 146,
    place: "time",
  },
  type: {
    header: "Actor",
    text: ({ actorType }) => ACTOR_TYPE_LABEL[actorType],
    filter: "actorType",
    value: ({ actorType }) => actorType,
    page: actorPage,
    show: (entry) => (
      <PageLink href={actorPage(entry)} label={`${ACTOR_TYPE_LABEL[entry.actorType]}: ${actorOf(entry)}`}>
        <ActorType type={entry.actorType} />
      </PageLink>
    ),
    width: 92,
    from: "medium",
    place: "type",
  },
  event: {
    header: "Entry",
    text: actorOf,
    filter: "actorId",
    value: actorIdOf,
    page: actorPage,
    show: (entry, { onOpen }) => <Sentence entry={entry} onOpen={onOpen} />,
    width: 0,
    place: "event",
  },
  action: {
    header: "Action",
    text: ({ action }) => action,
    filter: "actions",
    show: ({ action }) => <code>{action}</code>,
    width: 196,
    from: "wide",
  },
  org: {
    header: "Organization",
    text: ({ orgId }, { orgName }) => orgName(orgId),
    filter: "orgId",
    value: ({ orgId }) => orgId,
    page: ({ orgId }) => `/organizations/${orgId}`,
    width: 156,
    from: "narrow",
    place: "org",
  },
  resourceType: {
    header: "Resource type",
    text: ({ resource }) => resource.type,
    filter: "resourceType",
    page: targetPage,
    // The page is that of the resource, not of its type.
    show: ({ resource }) => resource.type,
    width: 128,
  },
  device: { header: "Device", text: deviceOf, filter: "device", page: devicePage, width: 140 },
  ip: {
    header: "From",
    text: ({ ipAddress }) => ipAddress,
    filter: "ip",
    page: ({ ipAddress }) => (ipAddress ? addressPath(ipAddress) : null),
    show: ({ ipAddress, firstSeen }) => (
      <>
        <PageLink href={addressPath(ipAddress)}>{ipAddress}</PageLink>
        {firstSeen?.includes("address") && (
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
  email: {
    header: "E-mail",
    text: ({ user }) => user.email,
    filter: "actorId",
    value: actorIdOf,
    page: actorPage,
    width: 200,
  },
  seq: {
    header: "Sequence",
    text: ({ chainSeq }) => String(chainSeq),
    show: ({ chainSeq }) => <span className="tm-figures">{chainSeq}</span>,
    width: 92,
    align: "end",
  },
  result: {
    header: "Result",
    text: ({ result }) => RESULT_LABEL[result],
    filter: "result",
    value: ({ result }) => result,
    show: ({ result }) => <ResultBadge result={result} />,
    width: 116,
    place: "result",
  },
};

export const COLUMN: Record<ColumnId, Column> = mapValues(COLUMNS, (column, id) => ({ ...column, id }));

export function Cell({ column, entry }: { column: Column; entry: Entry }) {
  const { context } = useTable();
  if (column.show) return column.show(entry, context);
  return <PageLink href={column.page?.(entry)}>{column.text(entry, context)}</PageLink>;
}

/** The minimum width of the event's sentence. */
const MIN_EVENT_PX = 260;
const TIERS = ["base", "narrow", "medium", "wide"] as const;

export const widthOf = ({ id, width }: Column, widths: Widths): number => (width === 0 ? 0 : (widths[id] ?? width));

/** The width below which the columns of a tier do not fit. */
export function minWidth(columns: Column[], widths: Widths, tier: (typeof TIERS)[number]): number {
  const shown = columns.filter(({ from }) => TIERS.indexOf(from ?? "base") <= TIERS.indexOf(tier));
  return shown.reduce((sum, column) => sum + (widthOf(column, widths) || MIN_EVENT_PX), 0);
}
