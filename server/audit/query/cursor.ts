import { invalid } from "@/server/errors";

/** A row's position in the order of the lists: (timestamp, chain sequence, organization), newest first. */
export type Cursor = { ms: number; seq: string; orgId: string };

/** A cursor as the opaque text that clients hand back. */
export const encodeCursor = ({ ms, seq, orgId }: Cursor): string =>
  Buffer.from(`${ms}.${seq}.${orgId}`).toString("base64url");

const CURSOR = /^(\d{1,15})\.(\d{1,18})\.([0-9a-f-]{36})$/;

/** @throws AppError validation_failed for a text that no list has handed out. */
export function decodeCursor(cursor: string): Cursor {
  const [, ms = "", seq = "", orgId = ""] = CURSOR.exec(Buffer.from(cursor, "base64url").toString("latin1")) ?? [];
  if (!orgId || Number(ms) >= Date.UTC(10_000, 0, 1)) throw invalid("cursor", "is not a cursor of this list");
  return { ms: Number(ms), seq, orgId };
}
