import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/evidence/chain/verifier";
import { readEveryLatest } from "@/server/evidence/checkpoints/folder";
import { signCheckpoint as sign } from "@/server/evidence/checkpoints/sign";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { raiseAlarm } from "./alarm";

/** How many entries an organization's chain has had; 0 before the first. */
export type Head = { orgId: string; seq: number };

/** The head of every organization. */
export function listHeads(): Promise<Head[]> {
  return asSystem((tx) =>
    rowsOf<Head>(
      tx,
      sql`SELECT o.id AS "orgId", coalesce(h.seq, 0)::float8 AS seq
        FROM organizations o
        LEFT JOIN audit_chain_heads_of(ARRAY(SELECT id FROM organizations)) h ON h.org_id = o.id`,
    ),
  );
}

/** Our newest checkpoints of organizations that the database lacks: all of their entries were lost. */
export async function listLostOrganizations(): Promise<StoredNote[]> {
  // The folder first: an organization that a server makes meanwhile is then in the database at least.
  const signed = (await readEveryLatest()).filter(({ size }) => size > 0);
  const known = new Set((await listHeads()).map(({ orgId }) => orgId));
  return signed.filter(({ orgId }) => !known.has(orgId));
}

/**
 * Signs the head of a chain. Where rows, tree and notes disagree nothing is signed and the alarm is raised, as of when that
 * was found.
 * @param now what the checkpoint is dated
 * @returns the checkpoint over today's head, the sequence behind which every row was read for it, and what witnesses hold
 *   against it; null when refused
 */
export async function signHead(
  orgId: string,
  now: Date = new Date(),
): Promise<{ note: StoredNote; readAfter: number; disputes: Break[] } | null> {
  const signing = await sign(orgId, { now });
  const breaks = signing.kind === "refused" ? signing.breaks : [...signing.warnings, ...signing.disputes];
  if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "checkpoint", breaks });
  return signing.kind === "signed" ? signing : null;
}

/** signHead(), where the checkpoint alone is wanted. */
export const signCheckpoint = async (orgId: string, now?: Date): Promise<StoredNote | null> =>
  (await signHead(orgId, now))?.note ?? null;
