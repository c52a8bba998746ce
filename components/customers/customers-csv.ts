import type { Cell } from "@/server/ground/csv";
import { perDay } from "@/server/organizations/overview/arrange";
import type { OrganizationOverview } from "@/server/organizations/overview/schema";
import { CHAIN_LABEL } from "./chain-tag";

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
  "devicesSilent",
  "storageBytesEstimated",
];

const rounded = (rate: number | null): number | null => (rate === null ? null : Math.round(rate * 10) / 10);

/** The organizations of the page as CSV, one record each. */
export function customersCsv(rows: readonly OrganizationOverview[], readAt: string): Cell[][] {
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
    ]),
  ];
}
