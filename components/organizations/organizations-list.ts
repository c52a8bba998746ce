import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback, useState } from "react";
import type { Cell } from "@/server/ground/csv";
import { perDay } from "@/server/organizations/overview/arrange";
import { type OrganizationOverview, SHOWN, type Shown, SORTS, type Sort } from "@/server/organizations/overview/schema";
import { CHAIN_LABEL, leavesToText } from "./columns";

const parsers = {
  search: parseAsString,
  show: parseAsArrayOf(parseAsStringLiteral(SHOWN)),
  sort: parseAsStringLiteral(SORTS).withDefault("attention"),
  order: parseAsStringLiteral(["asc", "desc"]).withDefault("asc"),
};

const DESCENDING_FIRST: readonly Sort[] = ["growth", "failures", "denied", "devices", "storage"];

export function useOrganizationsView() {
  const [view, setView] = useQueryStates(parsers, { history: "push" });
  const search = useCallback((text: string) => setView({ search: text || null }, { history: "replace" }), [setView]);
  const sortBy = (sort: Sort) => {
    const first = DESCENDING_FIRST.includes(sort) ? "desc" : "asc";
    const reversed = view.order === "asc" ? "desc" : "asc";
    return setView({ sort, order: view.sort === sort ? reversed : first });
  };
  const toggle = (shown: Shown) => {
    const now = view.show ?? [];
    const next = now.includes(shown) ? now.filter((one) => one !== shown) : [...now, shown];
    return setView({ show: next.length > 0 ? next : null });
  };
  const clear = () => setView({ search: null, show: null });
  return { view, search, sortBy, toggle, clear };
}

/** Selected organizations; they stay selected while filtered out. */
export function useSelection(all: readonly OrganizationOverview[], shown: readonly OrganizationOverview[]) {
  const [ids, setIds] = useState<ReadonlySet<string>>(new Set());
  const toggle = (id: string) =>
    setIds((old) => {
      const next = new Set(old);
      if (!next.delete(id)) next.add(id);
      return next;
    });
  const toggleAll = () =>
    setIds((old) => {
      const isFull = shown.every(({ orgId }) => old.has(orgId));
      return isFull ? new Set() : new Set([...old, ...shown.map(({ orgId }) => orgId)]);
    });
  const chosen = all.filter(({ orgId }) => ids.has(orgId));
  return { ids, chosen, toggle, toggleAll, clear: () => setIds(new Set()) };
}

const rounded = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 10) / 10);

/** Columns of the file, each with its value; now: the time of the data in ms. */
const COLUMNS: Record<string, (row: OrganizationOverview, now: number) => Cell> = {
  organizationId: (row) => row.orgId,
  organization: (row) => row.name,
  needsAttention: (row) => row.attention.map(({ text }) => text).join("; "),
  chain: (row) => CHAIN_LABEL[row.chain.status],
  lastFullCheck: (row) => row.chain.lastFullCheck?.at,
  lastChecked: (row) => row.chain.lastCheckedAt,
  checkpointEntry: (row) => row.checkpoint?.seq,
  checkpointSignedAt: (row) => row.checkpoint?.signedAt,
  witness: (row) => row.witness.state,
  retentionDays: (row) => row.retention.retentionDays,
  retentionDue: (row) => (row.retention.isDue ? "yes" : "no"),
  oldestEntry: (row) => row.oldestAt,
  entries: (row) => row.entries,
  entriesPerDay7Days: (row, now) => rounded(perDay(row.growth.week, now)),
  entriesPerDay30Days: (row, now) => rounded(perDay(row.growth.month, now)),
  failures24h: (row) => row.failures,
  denied24h: (row) => row.denied,
  devicesOnline: (row) => row.devices?.online,
  devicesOffline: (row) => row.devices?.offline,
  devicesOffline24h: (row) => row.devices?.silent,
  storageBytesEstimated: (row) => row.bytes,
  leavesTo: (row) => leavesToText(row),
};

/** Organizations of the page as CSV, one record each. */
export const organizationsCsv = (rows: readonly OrganizationOverview[], readAt: string): Cell[][] => [
  Object.keys(COLUMNS),
  ...rows.map((row) => Object.values(COLUMNS).map((cellOf) => cellOf(row, Date.parse(readAt)))),
];
