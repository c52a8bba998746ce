import { Cron } from "croner";
import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { readOwnReceipt } from "@/server/evidence/chain/note-signature";
import { newestCheckpoint, newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { windowText } from "@/server/evidence/tree/statement";
import type { Scope } from "@/server/ground/context";
import { env } from "@/server/ground/env";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { oneOrganization } from "./integrity";
import { type IntegrityStatus, integrityStatus, integrityStatusInput, VERIFICATION_CRON } from "./schema";
import { readState } from "./state";
import { lastVerification } from "./verifications";

type Head = Pick<IntegrityStatus, "head" | "prunedThroughSeq" | "prunedUnder">;

/** The head; the pruned rows, limited to what a signed receipt permits; and their window. */
async function headOf(scope: Scope, orgId: string): Promise<Head> {
  const query = sql`SELECT seq, checksum, pruned_through_seq AS pruned FROM audit_chain_head(${orgId}::uuid)`;
  return tenant(scope, async (tx) => {
    const [row] = await rowsOf<{ seq: string; checksum: string; pruned: string }>(tx, query);
    if (!row) return { head: null, prunedThroughSeq: 0, prunedUnder: null };
    const claimed = Number(row.pruned);
    const note = claimed > 0 ? await newestReceipt(tx, orgId) : null;
    const receipt = note && readOwnReceipt(orgId, note.note);
    return {
      head: { seq: Number(row.seq), checksum: row.checksum },
      prunedThroughSeq: Math.min(claimed, receipt?.through ?? 0),
      prunedUnder: receipt && windowText(receipt),
    };
  });
}

function sinks(): IntegrityStatus["sinks"] {
  const { CHECKPOINT_WEBHOOK_URL: url } = env();
  return [
    { name: "file", detail: "one folder per organization in the server's data folder" },
    { name: "log", detail: "one JSON line each on standard output" },
    ...(url ? [{ name: "webhook" as const, detail: new URL(url).host }] : []),
  ];
}

/**
 * Known facts about an organization's chain, without reading it.
 * @throws AppError forbidden, validation_failed when no organization is named and several are possible
 */
export const getIntegrityStatus = operation({
  permission: "audit:read",
  input: integrityStatusInput,
  output: integrityStatus,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    const { scope } = narrow(ctx, orgId);
    const [last, { state, alarm }, head, newest] = await Promise.all([
      lastVerification(scope, orgId),
      readState(scope, orgId),
      headOf(scope, orgId),
      tenant(scope, (tx) => newestCheckpoint(tx, orgId)),
    ]);
    const next = new Cron(VERIFICATION_CRON, { timezone: "UTC", paused: true }).nextRun(ctx.now());
    return {
      orgId,
      state,
      last,
      alarm: alarm ? { at: alarm.at, source: alarm.source, breaks: alarm.breaks } : null,
      ...head,
      anchored: newest ? { seq: newest.size, signedAt: newest.signedAt } : null,
      sinks: sinks(),
      nextRunAt: next?.toISOString() ?? null,
    };
  },
});
