import type postgres from "postgres";
import { parseNote } from "@/server/evidence/tree/signed-note";
import { orgIdOf, type PruneReceipt, parseReceipt } from "@/server/evidence/tree/statement";
import { isFiledRightly, isOwnNote, NOTE_COLUMNS, type NoteRow } from "./own-note";

/** What a receipt says, if one of our keys signed it for this organization; else null. */
export function readOwnReceipt(orgId: string, note: string): PruneReceipt | null {
  const receipt = parseReceipt(parseNote(note)?.text ?? "");
  return receipt && orgIdOf(receipt.origin) === orgId && isOwnNote(note, receipt.origin) ? receipt : null;
}

/** A receipt that is not ours, or not filed as it says, is passed over, however many were added. */
const ROWS_AT_ONCE = 20;

/** The receipt that permits most, in the snapshot of a reading; null without one that we signed. */
export async function receiptIn(
  sql: postgres.TransactionSql,
  orgId: string,
): Promise<{ note: string; through: number } | null> {
  for (let offset = 0; ; offset += ROWS_AT_ONCE) {
    const rows = await sql<NoteRow[]>`
      SELECT ${sql.unsafe(NOTE_COLUMNS)} FROM audit_notes WHERE org_id = ${orgId}::uuid AND kind = 'receipt'
      ORDER BY size DESC, signed_at DESC LIMIT ${ROWS_AT_ONCE} OFFSET ${offset}`;
    for (const row of rows) {
      const receipt = readOwnReceipt(orgId, row.note);
      if (receipt && isFiledRightly(row, { size: receipt.through, signedAt: receipt.signedAt }))
        return { note: row.note, through: receipt.through };
    }
    if (rows.length < ROWS_AT_ONCE) return null;
  }
}

/**
 * Through which sequence retention was permitted to remove a chain, in the snapshot of a reading; 0 without a signed
 * receipt. The row that retention leaves in the log itself is for readers and proves nothing.
 */
export const permittedThrough = async (sql: postgres.TransactionSql, orgId: string): Promise<number> =>
  (await receiptIn(sql, orgId))?.through ?? 0;
