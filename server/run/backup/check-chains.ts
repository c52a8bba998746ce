import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { readLatest } from "@/server/evidence/checkpoints/folder";
import { openAlarms, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { listHeads } from "@/server/evidence/integrity/checkpoints";
import { type Judged, judgeChain } from "@/server/evidence/integrity/judge";
import type { ChainHead } from "./manifest";

/** A chain after a restore. */
export type RestoredChain = {
  orgId: string;
  lastSeq: number;
  verdict: Judged;
  /** Our checkpoint that covers more than exists: entries were lost. */
  beyond: { size: number; signedAt: string } | null;
  /** Start of an open alarm; null if there is none. */
  alarmSince: string | null;
};

/** Heads of a manifest missing or different in the database. */
export async function missingHeads(heads: readonly ChainHead[]): Promise<ChainHead[]> {
  const missing: ChainHead[] = [];
  for (const head of heads) {
    const found = await asSystem((tx) =>
      rowsOf<{ checksum: string }>(
        tx,
        sql`SELECT checksum FROM audit_logs WHERE org_id = ${head.orgId} AND chain_seq = ${head.seq}`,
      ),
    );
    const isPruned = head.seq === 0;
    if (!isPruned && found[0]?.checksum !== head.checksum) missing.push(head);
  }
  return missing;
}

/** Reads every chain and compares it with the data folder's checkpoints; a broken one raises the alarm. */
export async function checkChains(): Promise<RestoredChain[]> {
  const chains: Omit<RestoredChain, "alarmSince">[] = [];
  for (const { orgId, seq } of await listHeads()) {
    const latest = await readLatest(orgId);
    const verdict = await judgeChain(orgId);
    const { breaks } = verdict;
    if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "on demand", breaks });
    const beyond = latest && latest.size > seq ? { size: latest.size, signedAt: latest.signedAt } : null;
    chains.push({ orgId, lastSeq: seq, verdict, beyond });
  }
  const alarms = new Map((await openAlarms({ kind: "system" })).map(({ orgId, at }) => [orgId, at]));
  return chains
    .map((chain) => ({ ...chain, alarmSince: alarms.get(chain.orgId) ?? null }))
    .filter(({ lastSeq, beyond, alarmSince }) => lastSeq > 0 || beyond || alarmSince);
}
