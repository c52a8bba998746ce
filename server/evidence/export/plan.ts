import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { BundleRange, SinceLine } from "@/server/evidence/bundle/format";
import { fromTree } from "@/server/evidence/checkpoints/nodes";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { checkpointToShow } from "@/server/evidence/checkpoints/witnessed";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { parseNote, toBase64 } from "@/server/evidence/tree/signed-note";
import { consistencyProof } from "@/server/evidence/tree/tree";
import { timestampOf } from "@/server/evidence/witnesses/timestamp";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import type { EvidenceInput } from "./schema";

const RETRY_AFTER_SECONDS = "30";

/** What a bundle will hold beside its entries and the receipt that explains their beginning, settled before they are read. */
export type Plan = {
  orgId: string;
  /** Under which the checkpoint was signed, and so all of the bundle is. */
  origin: string;
  range: BundleRange;
  checkpoint: StoredNote;
  /** How many entries had been signed: no entry of a time range may lie between the checkpoint's end and this. */
  signed: number;
  /** A time-stamp of the checkpoint, in base64. */
  token: string | null;
  since: SinceLine | null;
};

/** The last sequence of the range that is known now; null where it reaches the newest entry. */
async function lastOf(tx: Tx, orgId: string, { from, to, toSeq }: EvidenceInput): Promise<number | null> {
  if (toSeq !== undefined) return toSeq;
  if (!to) return null;
  const [row] = await rowsOf<{ last: number | null }>(
    tx,
    sql`SELECT max(chain_seq)::float8 AS last FROM audit_logs
      WHERE org_id = ${orgId} AND "timestamp" BETWEEN ${(from ?? new Date(0)).toISOString()}::timestamptz
        AND ${to.toISOString()}::timestamptz`,
  );
  return row?.last ?? 0;
}

function rangeOf({ from, to, fromSeq, toSeq }: EvidenceInput, size: number): BundleRange {
  if (from || to) return { kind: "time", from: from?.toISOString() ?? null, to: to?.toISOString() ?? null };
  if (fromSeq === undefined && toSeq === undefined) return { kind: "whole" };
  const [first, last] = [fromSeq ?? 1, toSeq ?? size];
  const beyond = (field: string) => invalid(field, `lies beyond the newest entry, sequence ${size}`);
  if (last > size) throw beyond("toSeq");
  if (first > size) throw beyond("fromSeq");
  return { kind: "sequence", first, last };
}

type Chosen = Pick<Plan, "range" | "checkpoint" | "signed">;

/**
 * The range, and the newest checkpoint that the witnesses cosigned and that covers it, and what the asker kept; else the
 * newest.
 * @throws AppError conflict when nothing was ever signed, validation_failed for a range that the log does not have
 */
async function choose(tx: Tx, orgId: string, input: EvidenceInput): Promise<Chosen> {
  const newest = await newestCheckpoint(tx, orgId);
  if (!newest)
    throw new AppError("conflict", "There is no signed checkpoint of this log: nothing in a bundle could be proven.");
  const range = rangeOf(input, newest.size);
  const last = (await lastOf(tx, orgId, input)) ?? newest.size;
  const about = range.kind === "sequence" ? range : range.kind;
  const wanted = { size: Math.max(last, input.since ?? 0), about };
  return { range, checkpoint: (await checkpointToShow(tx, orgId, wanted)) ?? newest, signed: newest.size };
}

/**
 * What shows that the log continues from what the asker kept. Where entries and the tree's hashes of them are gone there is
 * nothing to show: the bundle continues without, and every verifier says where it breaks.
 */
async function sinceLine(
  tx: Tx,
  { orgId, size }: StoredNote,
  since: EvidenceInput["since"],
): Promise<SinceLine | null> {
  if (since === undefined) return null;
  if (since > size) throw invalid("since", `lies beyond the newest checkpoint, of size ${size}`);
  try {
    const hashes = await fromTree(tx, { orgId, size }, (tree) => consistencyProof(tree, since, size));
    return { type: "since", size: since, hashes: hashes.map(toBase64) };
  } catch (error) {
    if (error instanceof TreeDamage) return null;
    throw error;
  }
}

async function tokenOf(tx: Tx, { orgId, size, signedAt }: StoredNote): Promise<string | null> {
  const [row] = await rowsOf<{ token: string | null }>(
    tx,
    sql`SELECT translate(encode(timestamp_token, 'base64'), E'\n', '') AS token FROM audit_notes
      WHERE org_id = ${orgId} AND kind = 'checkpoint' AND size = ${size} AND signed_at = ${signedAt}::timestamptz`,
  );
  return row?.token ?? null;
}

/** Signs the head. @throws AppError unavailable when key or disk fail: newer entries of the range would be left out */
async function signNow(orgId: string, now: Date): Promise<void> {
  await signCheckpoint(orgId, now).catch((error: unknown) => {
    log.error({ err: error, orgId }, "no checkpoint could be signed for a bundle");
    const headers = { "Retry-After": RETRY_AFTER_SECONDS };
    throw new AppError("unavailable", "No checkpoint can be signed at the moment; try again later.", { headers });
  });
}

/**
 * Signs the head and settles what goes into the bundle.
 * @throws AppError validation_failed for a range or a size that the log does not have
 * @throws AppError conflict when nothing was ever signed, unavailable when nothing can be signed now
 */
export async function planBundle(ctx: Ctx, orgId: string, input: EvidenceInput): Promise<Plan> {
  await signNow(orgId, ctx.now());
  const plan = await tenant(ctx.scope, async (tx) => {
    const chosen = await choose(tx, orgId, input);
    const { checkpoint } = chosen;
    // A server may have been renamed since the checkpoint was signed: all of a bundle is under one origin.
    const { origin } = checkpointOf(checkpoint);
    return {
      ...chosen,
      orgId,
      origin,
      token: await tokenOf(tx, checkpoint),
      since: await sinceLine(tx, checkpoint, input.since),
    };
  });
  return { ...plan, token: plan.token ?? (await freshToken(plan.checkpoint)) };
}

/** A bundle is time-stamped again where its checkpoint was not. */
async function freshToken({ note }: StoredNote): Promise<string | null> {
  const text = parseNote(note)?.text;
  const token = text === undefined ? null : await timestampOf(text);
  return token && toBase64(token);
}
