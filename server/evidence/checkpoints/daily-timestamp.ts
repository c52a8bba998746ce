import { sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { timestampOf } from "@/server/evidence/witnesses/timestamp";
import { env } from "@/server/ground/env";
import type { StoredNote } from "./stored-note";

/**
 * The authority's time-stamp over a new checkpoint (RFC 3161), once a day an organization: kept beside the note. Null
 * where none is due, set or granted; the next checkpoint asks again. Never rejects because of the authority.
 */
export async function dailyTimestamp({ orgId, size, signedAt, note }: StoredNote): Promise<Buffer | null> {
  if (!env().TRAILMARK_TSA_URL || size === 0) return null;
  const query = sql`SELECT 1 FROM audit_notes
    WHERE org_id = ${orgId} AND kind = 'checkpoint' AND timestamp_token IS NOT NULL
      AND signed_at > ${signedAt}::timestamptz - interval '24 hours' LIMIT 1`;
  const recent = await asSystem((tx) => rowsOf(tx, query));
  const text = parseNote(note)?.text;
  return recent.length > 0 || text === undefined ? null : timestampOf(text);
}
