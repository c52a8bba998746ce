import { getRow } from "@/server/audit/entries/get";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { savedAs } from "@/server/ground/download";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { type Proven, proveEntry } from "./prove";
import { entryProof } from "./schema";

const fileNameOf = ({ seq }: Proven): string => `entry-${seq}.tlog-proof`;

/** What the audit log calls an entry that was proven or shared. */
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

/** A proof as a download. */
export const proofFile = ({ fileName, text }: { fileName: string; text: string }): Response =>
  savedAs(fileName, "text/plain; charset=utf-8", text);

/** The proof of one entry (c2sp.org/tlog-proof), for a reader who must verify it without seeing any other; recorded. */
export const createEntryProof = operation({
  permission: "audit:export",
  input: idInput,
  output: entryProof,
  run: (ctx, { id }) => give(ctx, id),
});

/** The same as a file. */
export const getEntryProof = operation({
  permission: "audit:export",
  input: idInput,
  output: "stream",
  run: async (ctx, { id }) => proofFile(await give(ctx, id)),
});
