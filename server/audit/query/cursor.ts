import { invalid } from "@/server/errors";

/** A place in the order of the lists: (timestamp, chain sequence, organization), newest first. */
export type Place = { ms: number; seq: string; orgId: string };

/** A place as the opaque text that clients hand back. */
export const encodeCursor = ({ ms, seq, orgId }: Place): string =>
  Buffer.from(`${ms}.${seq}.${orgId}`).toString("base64url");

const PLACE = /^(\d{1,15})\.(\d{1,18})\.([0-9a-f-]{36})$/;

/** @throws AppError validation_failed for a text that no list of ours has given out. */
export function decodeCursor(cursor: string): Place {
  const found = PLACE.exec(Buffer.from(cursor, "base64url").toString("latin1"));
  const ms = Number(found?.[1]);
  if (!found || ms >= Date.UTC(10_000, 0, 1)) throw invalid("cursor", "is not a cursor of this list");
  return { ms, seq: found[2] as string, orgId: found[3] as string };
}
