import { readSigned, signText } from "@/server/ground/derived-key";
import { invalid } from "@/server/ground/errors";

/** A row's position in the order of the lists: (timestamp, chain sequence, organization), newest first. */
export type Cursor = { ms: number; seq: string; orgId: string };

const PURPOSE = "cursor";
const CURSOR = /^(\d{1,15})\.(\d{1,18})\.([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})$/;

/** A cursor as the opaque text that clients hand back. */
export const encodeCursor = ({ ms, seq, orgId }: Cursor): string => signText(PURPOSE, `${ms}.${seq}.${orgId}`);

/** @throws AppError validation_failed for a text that no list has handed out, altered ones included. */
export function decodeCursor(cursor: string): Cursor {
  const [, ms, seq, orgId] = CURSOR.exec(readSigned(PURPOSE, cursor) ?? "") ?? [];
  if (!seq || !orgId) throw invalid("cursor", "is not a cursor of this list");
  return { ms: Number(ms), seq, orgId };
}
