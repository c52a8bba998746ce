import { createHmac } from "node:crypto";
import { derivedKey } from "@/server/derived-key";
import { invalid } from "@/server/errors";

/** A row's position in the order of the lists: (timestamp, chain sequence, organization), newest first. */
export type Cursor = { ms: number; seq: string; orgId: string };

/** Hexadecimal characters of the code that tells a cursor of ours from an altered one. */
const CODE_CHARS = 16;
const CURSOR = /^((\d{1,15})\.(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}))\.([0-9a-f]{16})$/;

const codeOf = (text: string): string =>
  createHmac("sha256", derivedKey("cursor")).update(text).digest("hex").slice(0, CODE_CHARS);

/** A cursor as the opaque text that clients hand back. */
export function encodeCursor({ ms, seq, orgId }: Cursor): string {
  const text = `${ms}.${seq}.${orgId}`;
  return Buffer.from(`${text}.${codeOf(text)}`).toString("base64url");
}

/** @throws AppError validation_failed for a text that no list has handed out, altered ones included. */
export function decodeCursor(cursor: string): Cursor {
  const decoded = Buffer.from(cursor, "base64url");
  const [, text = "", ms = "", seq = "", orgId = "", code] = CURSOR.exec(decoded.toString("latin1")) ?? [];
  // The comparison with its own encoding refuses what base64url's decoder skips over.
  if (!text || codeOf(text) !== code || decoded.toString("base64url") !== cursor)
    throw invalid("cursor", "is not a cursor of this list");
  return { ms: Number(ms), seq, orgId };
}
