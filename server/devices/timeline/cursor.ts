import { readSigned, signText } from "@/server/ground/derived-key";
import { invalid } from "@/server/ground/errors";
import { TIMELINE_SOURCES, type TimelineSource } from "./vocabulary";

/** Last item of a page: its time, log, and id there (the sequence of an audit entry). */
type Cursor = { ms: number; source: TimelineSource; id: string };

/** Start of reading a log: before a time, or before an item at that time. */
export type Start = { ms: number; before: string | null; isAfterAll: boolean } | null;

const PURPOSE = "timeline cursor";
const CURSOR = /^(\d{1,15})\.(\d)\.([0-9a-f-]{1,36})$/;

export const encodeCursor = ({ ms, source, id }: Cursor): string =>
  signText(PURPOSE, `${ms}.${TIMELINE_SOURCES.indexOf(source)}.${id}`);

/** @throws AppError validation_failed for a text that is not a timeline cursor, or an altered one. */
export function decodeCursor(cursor: string): Cursor {
  const [, ms, rank, id] = CURSOR.exec(readSigned(PURPOSE, cursor) ?? "") ?? [];
  const source = TIMELINE_SOURCES[Number(rank)];
  if (!source || !id) throw invalid("cursor", "is not a cursor of this timeline");
  return { ms: Number(ms), source, id };
}

/**
 * Start of one log after a cursor in the merged order: at the same instant, logs ranked before the cursor's are already
 * shown.
 */
export function startOf(cursor: Cursor | null, source: TimelineSource): Start {
  if (!cursor) return null;
  const [rank, at] = [TIMELINE_SOURCES.indexOf(source), TIMELINE_SOURCES.indexOf(cursor.source)];
  if (rank === at) return { ms: cursor.ms, before: cursor.id, isAfterAll: false };
  return { ms: cursor.ms, before: null, isAfterAll: rank > at };
}
