import { createHash, createPublicKey, type KeyObject, verify } from "node:crypto";
import type postgres from "postgres";
import {
  checkSignature,
  ED25519,
  keyIdOf,
  type NoteTools,
  parseNote,
  type VerifierKey,
} from "@/server/evidence/tree/signed-note";
import { orgIdOf, type PruneReceipt, parseReceipt } from "@/server/evidence/tree/statement";
import { signingKeys } from "./signing-key";

const SPKI_PREFIX = Buffer.from("302a300506032b6570032100", "hex");
const keyObjects = new Map<string, KeyObject>();

function keyObjectOf(publicKey: Uint8Array): KeyObject {
  const name = Buffer.from(publicKey).toString("hex");
  const known = keyObjects.get(name);
  if (known) return known;
  const key = createPublicKey({ key: Buffer.concat([SPKI_PREFIX, publicKey]), format: "der", type: "spki" });
  keyObjects.set(name, key);
  return key;
}

/** For our own keys alone, which are few: the key objects are kept. */
const tools: NoteTools = {
  sha256: (bytes) => createHash("sha256").update(bytes).digest(),
  verify: (publicKey, message, signature) => verify(null, message, keyObjectOf(publicKey), signature),
};

/** Our signing keys as verifiers name them, newest first. */
export const ownKeysNamed = (name: string): VerifierKey[] =>
  signingKeys().map(({ publicKey }) => {
    const key = { name, type: ED25519, publicKey };
    return { ...key, id: keyIdOf(tools.sha256, key) };
  });

/** Signatures that were checked already, by the note's hash: lists show the same notes again and again. */
const checked = new Map<string, boolean>();
const MAX_CHECKED = 20_000;

function isSignedByUs(note: string, origin: string): boolean {
  const parsed = parseNote(note);
  if (!parsed) return false;
  const found = ownKeysNamed(origin).map((key) => checkSignature(tools, parsed, key));
  return found.includes("good") && !found.includes("bad");
}

/**
 * Whether a note is our own: one of our keys signed it under this origin, and no line of our keys is spoilt. The
 * host in the origin is not compared: it may have been renamed since, the key decides.
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

/** A row of audit_notes. It is found by its columns, which are not signed; what they say counts where the text says it too. */
export type NoteRow = { filedSize: number; filedMs: number; note: string };
/**
 * The columns of a NoteRow. As floating point, so that a row with an infinite time is read like any other; under other
 * names, so that ORDER BY means the columns, which an index has.
 */
export const NOTE_COLUMNS = `size::float8 AS "filedSize", (extract(epoch FROM signed_at) * 1000)::float8 AS "filedMs", note`;

/** Whether the columns of a row are what its signed text says. */
export const isFiledRightly = ({ filedSize, filedMs }: NoteRow, text: { size: number; signedAt: string }): boolean =>
  text.size === filedSize && Date.parse(text.signedAt) === filedMs;

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
