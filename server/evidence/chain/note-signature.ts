import { createHash } from "node:crypto";
import type postgres from "postgres";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { checkSignature, ED25519, keyIdOf, parseNote, type VerifierKey } from "@/server/evidence/tree/signed-note";
import { orgIdOf, type PruneReceipt, parseReceipt } from "@/server/evidence/tree/statement";
import { signingKeys } from "./signing-key";

/** Our signing keys as verifier keys, newest first. */
export const ownKeysNamed = (name: string): VerifierKey[] =>
  signingKeys().map(({ publicKey }) => {
    const key = { name, type: ED25519, publicKey };
    return { ...key, id: keyIdOf(noteTools.sha256, key) };
  });

/** Results of signature checks by the note's hash: lists show the same notes repeatedly. */
const checked = new Map<string, boolean>();
const MAX_CHECKED = 20_000;

function isSignedByUs(note: string, origin: string): boolean {
  const parsed = parseNote(note);
  if (!parsed) return false;
  const found = ownKeysNamed(origin).map((key) => checkSignature(noteTools, parsed, key));
  return found.includes("good") && !found.includes("bad");
}

/**
 * True for our own note: one of our keys signed it under this origin, and no signature of our keys is bad. The origin's
 * host is not compared, because it may have been renamed; the key decides.
 */
export function isOwnNote(note: string, origin: string): boolean {
  const name = createHash("sha256").update(`${origin}\n${note}`).digest("hex");
  const known = checked.get(name);
  if (known !== undefined) return known;
  if (checked.size >= MAX_CHECKED) checked.clear();
  const own = orgIdOf(origin) !== null && isSignedByUs(note, origin);
  checked.set(name, own);
  return own;
}

/** A row of audit_notes. Queries use its columns, which are unsigned; they count only if the signed text agrees. */
export type NoteRow = { filedSize: number; filedMs: number; note: string };
/**
 * Columns of a NoteRow. Cast to float, so that a row with an infinite time is readable; renamed, so that ORDER BY uses
 * the indexed columns.
 */
export const NOTE_COLUMNS = `size::float8 AS "filedSize", (extract(epoch FROM signed_at) * 1000)::float8 AS "filedMs", note`;

/** True if a row's columns agree with its signed text. */
export const isFiledRightly = ({ filedSize, filedMs }: NoteRow, text: { size: number; signedAt: string }): boolean =>
  text.size === filedSize && Date.parse(text.signedAt) === filedMs;

/** Parses a receipt signed by one of our keys for this organization; else null. */
export function readOwnReceipt(orgId: string, note: string): PruneReceipt | null {
  const receipt = parseReceipt(parseNote(note)?.text ?? "");
  return receipt && orgIdOf(receipt.origin) === orgId && isOwnNote(note, receipt.origin) ? receipt : null;
}

/** Page size: receipts that are not ours, or misfiled, are skipped, however many were added. */
const ROWS_AT_ONCE = 20;

/** The most permissive receipt in the snapshot of a reading; null if we signed none. */
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
 * Last sequence that retention was permitted to remove, in the snapshot of a reading; 0 without a signed receipt. The
 * row that retention writes to the log is informative and proves nothing.
 */
export const permittedThrough = async (sql: postgres.TransactionSql, orgId: string): Promise<number> =>
  (await receiptIn(sql, orgId))?.through ?? 0;
