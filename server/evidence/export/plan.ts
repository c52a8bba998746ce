import { sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { BundleAlarm, BundleRange, SinceLine } from "@/server/evidence/bundle/format";
import type { Break } from "@/server/evidence/chain/verifier";
import { missingTile, treeBreak } from "@/server/evidence/checkpoints/frontier";
import { fromTree, readNodes, readRoot } from "@/server/evidence/checkpoints/nodes";
import { newestCheckpoint, newestReceipt } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf, type StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { checkpointToShow } from "@/server/evidence/checkpoints/witnessed";
import { openAlarmOf, raiseAlarm } from "@/server/evidence/integrity/alarm";
import { signCheckpoint } from "@/server/evidence/integrity/checkpoints";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { parseNote, toBase64 } from "@/server/evidence/tree/signed-note";
import { consistencyProof, decompose, equalBytes, TreeFold, verifyConsistency } from "@/server/evidence/tree/tree";
import { timestampOf } from "@/server/evidence/witnesses/timestamp";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import type { EvidenceInput } from "./schema";

const RETRY_AFTER_SECONDS = "30";

/** Contents of a bundle besides its entries and receipt, decided before they are read. */
export type Plan = {
  orgId: string;
  /** Origin of the checkpoint, and so of the whole bundle. */
  origin: string;
  range: BundleRange;
  checkpoint: StoredNote;
  /** Number of entries signed so far: no entry of a time range may lie between the checkpoint's end and this. */
  signed: number;
  /** A time-stamp of the checkpoint, in base64. */
  token: string | null;
  since: SinceLine | null;
  /** Open alarm on the log, accepted by the caller. */
  alarm: BundleAlarm | null;
};

/** Last known sequence of the range; null if it reaches the newest entry. */
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
 * Chooses the range, the caller's kept checkpoint, and the newest checkpoint that covers the range and is cosigned,
 * else the newest.
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
 * Proof that the log continues from the caller's checkpoint. If entries and their tree hashes are both missing, the
 * bundle has no proof and every verifier reports the place.
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

/**
 * Checks that the stored tree, cut where the bundle cuts it, gives the signed root: skips and proofs come from it. For
 * a time range the whole log is read.
 */
async function findDamage(tx: Tx, { checkpoint: note, range }: Chosen, since: number): Promise<Break | null> {
  const { orgId, size } = note;
  const { root } = checkpointOf(note);
  const pruned = Math.min((await newestReceipt(tx, orgId))?.size ?? 0, size);
  const ends = range.kind === "sequence" ? [Math.min(range.first - 1, size), Math.min(range.last, size)] : [pruned];
  const cuts = [0, ...ends, size];
  const ids = cuts.flatMap((cut, at) => decompose(cuts[at - 1] ?? 0, cut));
  try {
    const node = await readNodes(tx, { orgId, size, ids });
    const fold = new TreeFold(sha256);
    for (const id of ids) fold.push(id.height, node(id));
    const proof = await fromTree(tx, { orgId, size }, (tree) => consistencyProof(tree, since, size));
    const olderRoot = await readRoot(tx, orgId, since);
    const isOne = verifyConsistency(sha256, { older: since, size, olderRoot, root, proof });
    return isOne && equalBytes(fold.root(), root) ? null : await treeBreak(tx, note, fold.root());
  } catch (error) {
    if (error instanceof TreeDamage) return missingTile(size, error);
    throw error;
  }
}

/**
 * Open alarm on a log, after signing and tree checks have raised theirs.
 * @throws AppError alarm_open unless the caller accepts the alarm
 */
async function alarmOf(orgId: string, { despite }: EvidenceInput, began: Date): Promise<BundleAlarm | null> {
  const alarm = await openAlarmOf(orgId, began);
  if (!alarm) return null;
  const [first] = alarm.breaks;
  const found = first ? `${first.kind} at sequence ${first.seq}` : "its entries";
  if (despite === "alarm") return { since: alarm.at, found };
  throw new AppError(
    "alarm_open",
    `An alarm is open on this log since ${alarm.at} (${found}). Verify the whole log on the page Integrity; with despite=alarm you get a bundle that says so.`,
  );
}

async function tokenOf(tx: Tx, { orgId, size, signedAt }: StoredNote): Promise<string | null> {
  const [row] = await rowsOf<{ token: string | null }>(
    tx,
    sql`SELECT translate(encode(timestamp_token, 'base64'), E'\n', '') AS token FROM audit_notes
      WHERE org_id = ${orgId} AND kind = 'checkpoint' AND size = ${size} AND signed_at = ${signedAt}::timestamptz`,
  );
  return row?.token ?? null;
}

/** Signs the head. @throws AppError unavailable when key or disk fail: newer entries of the range would be missing */
async function signNow(orgId: string, now: Date): Promise<void> {
  await signCheckpoint(orgId, now).catch((error: unknown) => {
    log.error({ err: error, orgId }, "no checkpoint could be signed for a bundle");
    const headers = { "Retry-After": RETRY_AFTER_SECONDS };
    throw new AppError("unavailable", "No checkpoint can be signed at the moment; try again later.", { headers });
  });
}

/**
 * Signs the head and decides the contents of the bundle.
 * @throws AppError validation_failed for a range or a size that the log does not have
 * @throws AppError conflict when nothing was ever signed, alarm_open, unavailable when nothing can be signed now
 */
export async function planBundle(ctx: Ctx, orgId: string, input: EvidenceInput): Promise<Plan> {
  const began = new Date();
  await signNow(orgId, ctx.now());
  const [chosen, damage] = await tenant(ctx.scope, async (tx) => {
    const found = await choose(tx, orgId, input);
    return [found, await findDamage(tx, found, Math.min(input.since ?? 0, found.checkpoint.size))];
  });
  if (damage) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "checkpoint", breaks: [damage] });
  const alarm = await alarmOf(orgId, input, began);
  const plan = await tenant(ctx.scope, async (tx) => {
    const { checkpoint } = chosen;
    // The server may have been renamed since the checkpoint was signed, but a bundle has only one origin.
    const { origin } = checkpointOf(checkpoint);
    return {
      ...chosen,
      orgId,
      alarm,
      origin,
      token: await tokenOf(tx, checkpoint),
      since: await sinceLine(tx, checkpoint, input.since),
    };
  });
  return { ...plan, token: plan.token ?? (await freshToken(plan.checkpoint)) };
}

/** Time-stamps a checkpoint without one, for the bundle. */
async function freshToken({ note }: StoredNote): Promise<string | null> {
  const text = parseNote(note)?.text;
  const token = text === undefined ? null : await timestampOf(text);
  return token && toBase64(token);
}
