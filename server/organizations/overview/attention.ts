import { HOUR_MS } from "@/server/ground/time/durations";
import {
  type Attention,
  CHECKPOINT_LATE_MS,
  type OrganizationOverview,
  RETENTION_OVERDUE_MS,
  USUAL_RETENTION_DAYS,
} from "./schema";

type Facts = Omit<OrganizationOverview, "attention">;

/** "40 min", "5 h", "3 days" */
function age(ms: number): string {
  if (ms < HOUR_MS) return `${Math.floor(ms / 60_000)} min`;
  if (ms < 48 * HOUR_MS) return `${Math.floor(ms / HOUR_MS)} h`;
  return `${Math.floor(ms / (24 * HOUR_MS))} days`;
}

const CHAIN: Partial<Record<Facts["chain"]["status"], Attention>> = {
  broken: { code: "chain_broken", text: "Chain broken" },
  unproven: { code: "chain_unproven", text: "Chain not proven" },
  not_checked: { code: "chain_not_checked", text: "Chain not checked yet" },
};

function ofCheckpoint({ checkpoint, witness }: Facts, now: number): Attention[] {
  const since = checkpoint?.unsignedSince;
  const waited = since ? now - Date.parse(since) : 0;
  return [
    ...(waited > CHECKPOINT_LATE_MS
      ? [{ code: "checkpoint_late" as const, text: `Entries without a checkpoint for ${age(waited)}` }]
      : []),
    ...(witness.state === "missing" ? [{ code: "witness_missing" as const, text: "Checkpoint not witnessed" }] : []),
  ];
}

function ofRetention({ retention }: Facts, { now, pruningEnabled }: AttentionInput): Attention[] {
  const { configured, retentionDays, isDue, lastCleanupAt } = retention;
  if (!configured || retentionDays === null) return [{ code: "retention_none", text: "No retention policy" }];
  const isOverdue = isDue && pruningEnabled && lastCleanupAt && now - Date.parse(lastCleanupAt) > RETENTION_OVERDUE_MS;
  return [
    ...(isOverdue ? [{ code: "retention_overdue" as const, text: "Retention overdue" }] : []),
    ...(retentionDays < USUAL_RETENTION_DAYS
      ? [
          {
            code: "retention_short" as const,
            text: `Retention ${retentionDays} ${retentionDays === 1 ? "day" : "days"}`,
          },
        ]
      : []),
  ];
}

type AttentionInput = { now: number; pruningEnabled: boolean };

/** Reasons that an organization needs attention, worst first; empty if none is known. */
export function attentionOf(facts: Facts, input: AttentionInput): Attention[] {
  const chain = CHAIN[facts.chain.status];
  const silent = facts.devices?.silent ?? 0;
  return [
    ...(chain ? [chain] : []),
    ...ofCheckpoint(facts, input.now),
    ...ofRetention(facts, input),
    ...(silent > 0
      ? [{ code: "devices_silent" as const, text: `${silent} ${silent === 1 ? "device" : "devices"} offline for 24 h` }]
      : []),
  ];
}
