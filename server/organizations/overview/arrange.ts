import { DAY_MS } from "@/server/ground/time/durations";
import { ATTENTIONS, type OrganizationOverview, type Shown, type Sort } from "./schema";

type Row = OrganizationOverview;
type Arrangement = {
  search?: string | undefined;
  show?: readonly Shown[] | undefined;
  sort: Sort;
  order: "asc" | "desc";
};

const has = (row: Row, ...codes: Row["attention"][number]["code"][]): boolean =>
  row.attention.some(({ code }) => codes.includes(code));

/** Tests whether a filter shows an organization. */
export const IS_SHOWN: Record<Shown, (row: Row) => boolean> = {
  attention: ({ attention }) => attention.length > 0,
  chain: (row) => has(row, "chain_broken", "chain_unproven", "chain_not_checked"),
  retention: (row) => has(row, "retention_none", "retention_short"),
  silent: (row) => has(row, "devices_silent"),
};

const NEVER = Number.NEGATIVE_INFINITY;
const time = (at: string | null | undefined): number => (at ? Date.parse(at) : NEVER);

/** Entries per day over the last 30 days, or since the first known; null for less than a day. */
export function perDay(growth: Row["growth"]["month"], now: number): number | null {
  const days = growth ? (now - Date.parse(growth.since)) / DAY_MS : 0;
  return growth && days >= 1 ? growth.entries / days : null;
}

const worst = ({ attention }: Row): number =>
  attention.reduce((rank, { code }) => Math.min(rank, ATTENTIONS.indexOf(code)), Number.POSITIVE_INFINITY);

const VALUE: Record<Exclude<Sort, "name" | "attention">, (row: Row) => number> = {
  checked: ({ chain }) => time(chain.lastFullCheck?.at),
  retention: ({ retention }) => retention.retentionDays ?? NEVER,
  oldest: ({ oldestAt }) => time(oldestAt),
  growth: ({ growth }) => perDay(growth.month, Date.now()) ?? NEVER,
  failures: ({ failures }) => failures,
  denied: ({ denied }) => denied,
  devices: ({ devices }) => devices?.silent ?? NEVER,
  storage: ({ bytes }) => bytes,
};

const names = new Intl.Collator("en", { sensitivity: "base", numeric: true });
const byNumber = (a: number, b: number): number => (a === b ? 0 : a < b ? -1 : 1);

const nameOrder = (a: Row, b: Row): number => names.compare(a.name, b.name) || (a.orgId < b.orgId ? -1 : 1);

/** Comparison of rows by keys computed once per row. */
function comparing(rows: readonly Row[], sort: Sort): (a: Row, b: Row) => number {
  if (sort === "name") return nameOrder;
  const read = sort === "attention" ? worst : VALUE[sort];
  const values = new Map(rows.map((row) => [row, read(row)]));
  const byValue = (a: Row, b: Row) => byNumber(values.get(a) ?? 0, values.get(b) ?? 0);
  if (sort !== "attention") return byValue;
  return (a, b) => byValue(a, b) || byNumber(b.attention.length, a.attention.length);
}

/** Requested organizations in the requested order, then by name. */
export function arrange(rows: readonly Row[], { search, show, sort, order }: Arrangement): Row[] {
  const part = search?.trim().toLowerCase();
  const sign = order === "desc" ? -1 : 1;
  const compare = comparing(rows, sort);
  return rows
    .filter((row) => !part || row.name.toLowerCase().includes(part))
    .filter((row) => !show?.length || show.some((one) => IS_SHOWN[one](row)))
    .sort((a, b) => sign * compare(a, b) || nameOrder(a, b));
}
