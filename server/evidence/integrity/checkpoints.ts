import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { Break } from "@/server/evidence/chain/verifier";
import { readEveryLatest } from "@/server/evidence/checkpoints/folder";
import { signCheckpoint as sign } from "@/server/evidence/checkpoints/sign";
import type { StoredNote } from "@/server/evidence/checkpoints/stored-note";
import { raiseAlarm } from "./alarm";

/** Number of entries that an organization's chain ever had; 0 before the first. */
export type Head = { orgId: string; seq: number };

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

/** Our newest checkpoints of organizations missing from the database: all their entries were lost. */
export async function listLostOrganizations(): Promise<StoredNote[]> {
  // Reads the folder first, so that organizations created after that are at least in the database.
  const signed = (await readEveryLatest()).filter(({ size }) => size > 0);
  const known = new Set((await listHeads()).map(({ orgId }) => orgId));
  return signed.filter(({ orgId }) => !known.has(orgId));
}

/**
 * Signs the head of a chain. Where rows, tree and notes disagree nothing is signed and the alarm is raised, as of when that
 * was found.
 * @param now what the checkpoint is dated
 * @returns the checkpoint over today's head and objections of witnesses; null when refused
 */
export async function signHead(
  orgId: string,
  now: Date = new Date(),
): Promise<{ note: StoredNote; disputes: Break[] } | null> {
  const signing = await sign(orgId, { now });
  const breaks = signing.kind === "refused" ? signing.breaks : [...signing.warnings, ...signing.disputes];
  if (breaks.length > 0) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "checkpoint", breaks });
  return signing.kind === "signed" ? signing : null;
}

/** Runs signHead() for the checkpoint only. */
export const signCheckpoint = async (orgId: string, now?: Date): Promise<StoredNote | null> =>
  (await signHead(orgId, now))?.note ?? null;
