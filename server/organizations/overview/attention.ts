import { counted } from "@/server/ground/text";
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

type AttentionInput = { now: number; pruningEnabled: boolean };

/** Reasons that an organization needs attention, worst first; empty if none is known. */
export function attentionOf(facts: Facts, { now, pruningEnabled }: AttentionInput): Attention[] {
  const { chain, checkpoint, witness, retention } = facts;
  const found: Attention[] = [];
  const check = (isSo: boolean, code: Attention["code"], text: string) => isSo && found.push({ code, text });
  check(chain.status === "broken", "chain_broken", "Chain broken");
  check(chain.status === "unproven", "chain_unproven", "Chain not proven");
  check(chain.status === "not_checked", "chain_not_checked", "Chain not checked yet");
  const waited = checkpoint?.unsignedSince ? now - Date.parse(checkpoint.unsignedSince) : 0;
  check(waited > CHECKPOINT_LATE_MS, "checkpoint_late", `Entries without a checkpoint for ${age(waited)}`);
  check(witness.state === "missing", "witness_missing", "Checkpoint not witnessed");
  const { isDue, lastCleanupAt } = retention;
  const days = retention.configured ? retention.retentionDays : null;
  const isLate = isDue && lastCleanupAt !== null && now - Date.parse(lastCleanupAt) > RETENTION_OVERDUE_MS;
  check(days !== null && pruningEnabled && isLate, "retention_overdue", "Retention overdue");
  check(days === null, "retention_none", "No retention policy");
  check(
    days !== null && days < USUAL_RETENTION_DAYS,
    "retention_short",
    `Retention ${counted(days ?? 0, "day", "days")}`,
  );
  const silent = facts.devices?.silent ?? 0;
  check(silent > 0, "devices_silent", `${counted(silent, "device", "devices")} offline for 24 h`);
  return found;
}
