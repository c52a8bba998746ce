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

const HEADER = [
  "organizationId",
  "organization",
  "needsAttention",
  "chain",
  "lastFullCheck",
  "lastChecked",
  "checkpointEntry",
  "checkpointSignedAt",
  "witness",
  "retentionDays",
  "retentionDue",
  "oldestEntry",
  "entries",
  "entriesPerDay7Days",
  "entriesPerDay30Days",
  "failures24h",
  "denied24h",
  "devicesOnline",
  "devicesOffline",
  "devicesOffline24h",
  "storageBytesEstimated",
  "leavesTo",
];

const rounded = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 10) / 10);

/** Organizations of the page as CSV, one record each. */
export function organizationsCsv(rows: readonly OrganizationOverview[], readAt: string): Cell[][] {
  const now = Date.parse(readAt);
  return [
    HEADER,
    ...rows.map((row): Cell[] => [
      row.orgId,
      row.name,
      row.attention.map(({ text }) => text).join("; "),
      CHAIN_LABEL[row.chain.status],
      row.chain.lastFullCheck?.at,
      row.chain.lastCheckedAt,
      row.checkpoint?.seq,
      row.checkpoint?.signedAt,
      row.witness.state,
      row.retention.retentionDays,
      row.retention.isDue ? "yes" : "no",
      row.oldestAt,
      row.entries,
      rounded(perDay(row.growth.week, now)),
      rounded(perDay(row.growth.month, now)),
      row.failures,
      row.denied,
      row.devices?.online,
      row.devices?.offline,
      row.devices?.silent,
      row.bytes,
      leavesToText(row),
    ]),
  ];
}
