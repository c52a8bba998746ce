import { z } from "zod";
import { tenant } from "@/db/client";
import { getRow } from "@/server/audit/entries/get";
import { record } from "@/server/audit/record/record";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { readChainRow } from "@/server/evidence/chain/copy-rows";
import { fromTree } from "@/server/evidence/checkpoints/nodes";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { checkpointToShow } from "@/server/evidence/checkpoints/witnessed";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { inclusionProof } from "@/server/evidence/tree/tree";
import type { Ctx, Scope } from "@/server/ground/context";
import { savedAs } from "@/server/ground/download";
import { AppError, notFound } from "@/server/ground/errors";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { checkEntryProof, type EntryProof, formatEntryProof } from "./entry-proof";

const entryProof = z.strictObject({ fileName: z.string(), text: z.string() });

export type EntryName = { orgId: string; id: string };
/** Text of a .tlog-proof file, and its entry. */
export type Proven = EntryName & { seq: number; size: number; text: string };

/** With a larger backlog the rows are not read while a caller waits. */
const MAX_ROWS_BEHIND = 50_000;
const RETRY_AFTER_SECONDS = "30";

const contradicted = (why: string): AppError =>
  new AppError("conflict", `No proof can be created: the log does not match what was signed. ${why}`);

const notYet = (why: string): AppError =>
  new AppError("unavailable", why, { headers: { "Retry-After": RETRY_AFTER_SECONDS } });

/** Signs the head. @throws AppError conflict when anything disagrees, unavailable when key or disk fail */
async function signNow(orgId: string): Promise<void> {
  const signing = await signCheckpoint(orgId).catch((error: unknown) => {
    log.error({ err: error, orgId }, "no checkpoint could be signed for a proof");
    throw notYet("No checkpoint can be signed at the moment; try again later.");
  });
  if (signing.kind === "refused") throw contradicted("The page Integrity shows where.");
}

/**
 * A checkpoint that covers an entry, signed now if there is none.
 * @throws AppError unavailable while the tree is being built
 */
async function coveringCheckpoint(scope: Scope, orgId: string, seq: number): Promise<StoredNote> {
  const find = () =>
    tenant(scope, (tx) => checkpointToShow(tx, orgId, { size: seq, about: { first: seq, last: seq } }));
  const found = await find();
  if (found) return found;
  const newest = await tenant(scope, (tx) => newestCheckpoint(tx, orgId));
  if (seq - (newest?.size ?? 0) > MAX_ROWS_BEHIND) {
    void signCheckpoint(orgId).catch((error: unknown) => log.error({ err: error, orgId }, "the tree cannot be built"));
    throw notYet("The tree over this log is still being built; try again in a few minutes.");
  }
  await signNow(orgId);
  const signed = await find();
  if (!signed) throw notYet("This entry is not covered by a checkpoint yet; try again in a minute.");
  return signed;
}

async function createProof(scope: Scope, { orgId, id }: EntryName): Promise<EntryProof & { size: number }> {
  const row = await tenant(scope, (tx) => readChainRow(tx, orgId, id));
  if (!row) throw notFound("audit log entry");
  const seq = Number(row.chainSeq);
  const { size, note } = await coveringCheckpoint(scope, orgId, seq);
  const checkpoint = parseNote(note);
  if (!checkpoint) throw contradicted("A checkpoint that is kept cannot be read.");
  const path = await tenant(scope, (tx) =>
    fromTree(tx, { orgId, size }, (tree) => inclusionProof(tree, seq - 1, size)),
  );
  return { payload: canonicalPayload(row), index: seq - 1, path, checkpoint, size };
}

/**
 * Proves one entry under the newest checkpoint that covers it, signing one if needed. The result is checked as its
 * reader will check it.
 * @param scope reaches the organization
 * @throws AppError not_found; conflict when row, tree and checkpoint disagree; unavailable when there is no checkpoint
 */
export async function proveEntry(scope: Scope, entry: EntryName): Promise<Proven> {
  try {
    const proof = await createProof(scope, entry);
    const found = checkEntryProof(noteTools, proof);
    if ("reason" in found) throw contradicted(found.reason);
    return { ...entry, seq: proof.index + 1, size: proof.size, text: formatEntryProof(proof) };
  } catch (error) {
    if (error instanceof TreeDamage) throw contradicted("A part of its tree is gone.");
    throw error;
  }
}

const fileNameOf = ({ seq }: Proven): string => `entry-${seq}.tlog-proof`;

/** Resource of audit entries about a proven or shared entry. */
export const entryResource = ({ id, seq }: { id: string; seq: number }) => ({
  resourceType: "audit_log",
  resourceId: id,
  resourceName: `entry ${seq}`,
});

/**
 * Proves an entry within the caller's reach.
 * @throws AppError not_found when it is missing or belongs to another organization; conflict, unavailable
 */
export async function proveReached(ctx: Ctx, id: string): Promise<{ own: Ctx; proven: Proven }> {
  const { org_id: orgId } = await getRow(ctx, id);
  const own = narrow(ctx, orgId);
  return { own, proven: await proveEntry(own.scope, { orgId, id }) };
}

async function give(ctx: Ctx, id: string): Promise<{ fileName: string; text: string }> {
  const { own, proven } = await proveReached(ctx, id);
  const { orgId, seq, size, text } = proven;
  record(own, { action: "audit_logs.proof", orgId, ...entryResource(proven), details: { sequence: seq, size } });
  return { fileName: fileNameOf(proven), text };
}

export const proofFile = ({ fileName, text }: { fileName: string; text: string }): Response =>
  savedAs(fileName, "text/plain; charset=utf-8", text);

/** Proof of one entry (c2sp.org/tlog-proof), for a reader who must not see any other; recorded. */
export const createEntryProof = operation({
  permission: "audit:export",
  input: idInput,
  output: entryProof,
  run: (ctx, { id }) => give(ctx, id),
});

/** The proof as a file. */
export const getEntryProof = operation({
  permission: "audit:export",
  input: idInput,
  output: "stream",
  run: async (ctx, { id }) => proofFile(await give(ctx, id)),
});
