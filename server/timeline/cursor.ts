import { createHmac } from "node:crypto";
import { derivedKey } from "@/server/derived-key";
import { invalid } from "@/server/errors";
import { TIMELINE_SOURCES, type TimelineSource } from "./vocabulary";

/** The last item of a page: its time, its log, and its id there (the sequence of an audit entry). */
export type Place = { ms: number; source: TimelineSource; id: string };

/** From where a log is read on: before a time, or before one of its own items at that time. */
export type Start = { ms: number; before: string | null; isAfterAll: boolean } | null;

const CODE_CHARS = 16;
const CURSOR = /^((\d{1,15})\.(\d)\.([0-9a-f-]{1,36}))\.([0-9a-f]{16})$/;

const codeOf = (text: string): string =>
  createHmac("sha256", derivedKey("timeline cursor")).update(text).digest("hex").slice(0, CODE_CHARS);

/** A place as the opaque text that clients hand back. */
export function encodePlace({ ms, source, id }: Place): string {
  const text = `${ms}.${TIMELINE_SOURCES.indexOf(source)}.${id}`;
  return Buffer.from(`${text}.${codeOf(text)}`).toString("base64url");
}

/** @throws AppError validation_failed for a text that no timeline has handed out, altered ones included. */
export function decodePlace(cursor: string): Place {
  const decoded = Buffer.from(cursor, "base64url");
  const [, text = "", ms = "", rank = "", id = "", code] = CURSOR.exec(decoded.toString("latin1")) ?? [];
  const source = TIMELINE_SOURCES[Number(rank)];
  if (!source || codeOf(text) !== code || decoded.toString("base64url") !== cursor)
    throw invalid("cursor", "is not a cursor of this timeline");
  return { ms: Number(ms), source, id };
}

/**
 * Where one log goes on behind a place in the merge: at the same moment, logs that rank before the place's have been shown,
 * those that rank behind it have not.
 */
export function startOf(place: Place | null, source: TimelineSource): Start {
  if (!place) return null;
  const [rank, at] = [TIMELINE_SOURCES.indexOf(source), TIMELINE_SOURCES.indexOf(place.source)];
  if (rank === at) return { ms: place.ms, before: place.id, isAfterAll: false };
  return { ms: place.ms, before: null, isAfterAll: rank > at };
}
