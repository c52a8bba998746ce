import { createParser, parseAsBoolean, parseAsStringLiteral } from "nuqs/server";
import type { useTRPC } from "@/components/trpc";

/** All columns of the audit log's table, in default order. */
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
export const DEFAULT_COLUMNS: readonly ColumnId[] = ["time", "type", "event", "action", "org", "ip", "result"];
/** Pixel widths of columns that the user resized. */
export type Widths = Partial<Record<ColumnId, number>>;

const DENSITIES = ["normal", "compact"] as const;
export type Density = (typeof DENSITIES)[number];

const isColumn = (id: string): id is ColumnId => COLUMN_IDS.some((known) => known === id);

/** Parses a list of column names: known ones without duplicates, always including the event. */
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

/** The table's appearance in the URL; missing parts come from the user's preference. */
export const tableParsers = { cols: columnList, density: parseAsStringLiteral(DENSITIES), fold: parseAsBoolean };

/** Shows a column at its default position, or hides it. */
export function toggled(columns: ColumnId[], id: ColumnId): ColumnId[] {
  if (columns.includes(id)) return columns.filter((column) => column !== id);
  const at = columns.findIndex((column) => COLUMN_IDS.indexOf(column) > COLUMN_IDS.indexOf(id));
  return columns.toSpliced(at < 0 ? columns.length : at, 0, id);
}

/** Moves a column; the position is clamped to the ends. */
export function movedTo(columns: ColumnId[], id: ColumnId, position: number): ColumnId[] {
  return columns.filter((column) => column !== id).toSpliced(Math.max(position, 0), 0, id);
}

/** Query options of the user's table preference, shared by the server's prefetch and the browser. */
export const tableSettingsQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "preferences">) =>
  trpc.preferences.get.queryOptions({ key: "audit.table" }, { staleTime: Number.POSITIVE_INFINITY });
