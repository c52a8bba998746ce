import { createHash } from "node:crypto";
import { type SQL, sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { tenant } from "@/db/client";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { type AuditFilter, conditionsOf } from "@/server/audit/query/conditions";
import { toRowFilter } from "@/server/audit/query/plan";
import { allOf, ENTRY, rowsBetween, withNames } from "@/server/audit/query/rows";
import type { FullEntry } from "@/server/audit/schema";
import type { Ctx, Scope } from "@/server/ground/context";
import { type ReloadReason, TAIL_STEP_ROWS } from "./schema";

/** A span of a chain: rows after one sequence through another. */
export type Span = { orgId: string; after: number; through: number };

/** A span is kept this long for other readers, which one poll wakes at the same moment. */
const KEPT_MS = 1_000;

async function read(scope: Scope, filter: AuditFilter, spans: readonly Span[]): Promise<FullEntry[]> {
  const orgIds = [...new Set(spans.map((span) => span.orgId))];
  const rows = await tenant(scope, async (tx) => {
    const where = allOf(conditionsOf(await toRowFilter(tx, { scope, orgIds, filter })));
    const from = (source: SQL) =>
      sql`SELECT ${ENTRY.columns} FROM ${source}, ${rowsBetween(sql`o.after`, sql`o.through`)} WHERE ${where}`;
    const found = await Promise.all(
      layout()
        .spansOf(spans)
        .map((source) => withNames(tx, from(source), ENTRY)),
    );
    return found.flat();
  });
  return rows.map(toFullEntry).sort((a, b) => a.chainSeq - b.chainSeq);
}

/** Cache key of a read; includes the caller, because of row-level security. */
const keyOf = (...parts: unknown[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("base64url");

const kept = new Map<string, Promise<FullEntry[]>>();

/**
 * Sealed matches in some spans, each chain in order. Readers with the same reach share one query for the same spans and
 * filter.
 */
export function readSpans({ scope }: Ctx, filter: AuditFilter, spans: readonly Span[]): Promise<FullEntry[]> {
  const key = keyOf(scope, filter, spans);
  const found = kept.get(key);
  if (found) return found;
  const reading = read(scope, filter, spans);
  kept.set(key, reading);
  const forget = () => setTimeout(() => kept.delete(key), KEPT_MS).unref();
  reading.then(forget, () => kept.delete(key));
  return reading;
}

/** Position of a reader: sorted organizations, and the last sequence read of each chain. */
export type Position = { orgIds: readonly string[]; seqs: number[] };

const VERSION = 1;
const SET_BYTES = 8;
/**
 * A position travels in a header and in the address, for which Node allows 16 KiB together: 1,000 organizations of up
 * to 268 million rows fit. Beyond it a reader cannot resume, only start over.
 */
export const MAX_POSITION_CHARS = 5_600;
const TOO_LONG = "-";

/** Identifies the set of organizations: a position of another set is invalid for this one. */
const setOf = (orgIds: readonly string[]): Buffer =>
  createHash("sha256").update(orgIds.join(",")).digest().subarray(0, SET_BYTES);

function pushVarint(bytes: number[], value: number): void {
  let rest = value;
  for (; rest >= 128; rest = Math.floor(rest / 128)) bytes.push((rest % 128) | 128);
  bytes.push(rest);
}

/** Encodes a position as text of letters, digits, - and _. */
export function encodePosition({ orgIds, seqs }: Position): string {
  const bytes: number[] = [VERSION, ...setOf(orgIds)];
  for (const seq of seqs) pushVarint(bytes, seq);
  const text = Buffer.from(bytes).toString("base64url");
  return text.length <= MAX_POSITION_CHARS ? text : TOO_LONG;
}

/** Number at `at` and the offset of the next; null past the end or beyond exact integers. */
function readVarint(bytes: Buffer, at: number): { value: number; next: number } | null {
  let value = 0;
  for (let i = at, unit = 1; i < bytes.length; i++, unit *= 128) {
    const byte = bytes[i] ?? 0;
    value += (byte & 127) * unit;
    if (value > Number.MAX_SAFE_INTEGER) return null;
    if (byte < 128) return { value, next: i + 1 };
  }
  return null;
}

/**
 * Decodes a position; null if it is invalid or of organizations other than the first of these. Later organizations have
 * larger ids, so a new one is appended, with nothing read.
 */
export function decodePosition(text: string, orgIds: readonly string[]): Position | null {
  if (text.length > MAX_POSITION_CHARS) return null;
  const bytes = Buffer.from(text, "base64url");
  if (bytes[0] !== VERSION) return null;
  const seqs: number[] = [];
  for (let at = 1 + SET_BYTES; at < bytes.length; ) {
    const read = readVarint(bytes, at);
    if (!read || seqs.length === orgIds.length) return null;
    seqs.push(read.value);
    at = read.next;
  }
  if (!bytes.subarray(1, 1 + SET_BYTES).equals(setOf(orgIds.slice(0, seqs.length)))) return null;
  return { orgIds, seqs: orgIds.map((_, i) => seqs[i] ?? 0) };
}

/** Number of rows sealed between two positions. */
export const rowsBehind = (from: Position, to: Position): number =>
  from.seqs.reduce((sum, seq, i) => sum + Math.max(0, (to.seqs[i] ?? 0) - seq), 0);

/** Next spans from a position towards the heads, at most `rows` in total. */
export function nextSpans({ orgIds, seqs }: Position, heads: Position, rows = TAIL_STEP_ROWS): Span[] {
  const spans: Span[] = [];
  let room = rows;
  for (const [i, orgId] of orgIds.entries()) {
    const after = seqs[i] ?? 0;
    const through = Math.min(heads.seqs[i] ?? 0, after + room);
    if (through <= after) continue;
    spans.push({ orgId, after, through });
    room -= through - after;
    if (room === 0) break;
  }
  return spans;
}

/** Advances a position past some spans. */
export function advance({ orgIds, seqs }: Position, spans: readonly Span[]): Position {
  const seen = new Map(spans.map(({ orgId, through }) => [orgId, through]));
  return { orgIds, seqs: seqs.map((seq, i) => seen.get(orgIds[i] ?? "") ?? seq) };
}

/** Start of a reader: its last position if valid in these chains, else the heads. */
export function startAt(
  text: string | undefined,
  heads: Position,
): { position: Position; reload: ReloadReason | null } {
  if (!text) return { position: heads, reload: "start" };
  const position = decodePosition(text, heads.orgIds);
  const isAhead = position?.seqs.some((seq, i) => seq > (heads.seqs[i] ?? 0));
  return position && !isAhead ? { position, reload: null } : { position: heads, reload: "position" };
}
