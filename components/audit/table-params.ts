import { createParser, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import type { useTRPC } from "@/components/trpc";

/** Every column of the audit log's table, in the order in which they are offered. */
export const COLUMN_IDS = [
  "time",
  "type",
  "event",
  "action",
  "org",
  "resourceType",
  "device",
  "ip",
  "email",
  "seq",
  "result",
] as const;
export type ColumnId = (typeof COLUMN_IDS)[number];

const DENSITIES = ["normal", "compact"] as const;
export type Density = (typeof DENSITIES)[number];

const isColumn = (id: string): id is ColumnId => COLUMN_IDS.some((known) => known === id);

/** The columns that a list of names means: the known ones, each once, and the event always. */
export function columnsOf(names: readonly string[]): ColumnId[] {
  const known = [...new Set(names.filter(isColumn))];
  return known.includes("event") ? known : ["event", ...known];
}

const columnList = createParser({
  parse: (value: string) => {
    const names = value.split(",");
    return names.every(isColumn) ? columnsOf(names) : null;
  },
  serialize: (ids: ColumnId[]) => ids.join(","),
  eq: (a, b) => a.join() === b.join(),
});

/** How the table looks, as the address holds it; what it leaves open is the person's preference. */
export const tableParsers = { cols: columnList, density: parseAsStringLiteral(DENSITIES), fold: parseAsBoolean };

/** Adds a column where it is offered among the others, or takes it away. */
export function toggled(columns: ColumnId[], id: ColumnId): ColumnId[] {
  if (columns.includes(id)) return columns.filter((column) => column !== id);
  const at = columns.findIndex((column) => COLUMN_IDS.indexOf(column) > COLUMN_IDS.indexOf(id));
  return columns.toSpliced(at < 0 ? columns.length : at, 0, id);
}

/** Puts a column in another place; beyond the ends is the end. */
export function movedTo(columns: ColumnId[], id: ColumnId, position: number): ColumnId[] {
  return columns.filter((column) => column !== id).toSpliced(Math.max(position, 0), 0, id);
}

/** What the person prefers, as query options: the same for the page's prefetch and the browser. */
export const tableSettingsQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "preferences">) =>
  trpc.preferences.get.queryOptions({ key: "audit.table" }, { staleTime: Number.POSITIVE_INFINITY });
