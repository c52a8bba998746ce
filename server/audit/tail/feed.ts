import { z } from "zod";
import { tenant } from "@/db/client";
import { listFullEntries } from "@/server/audit/entries/list";
import { FORMATS } from "@/server/audit/export-formats";
import type { AuditFilter } from "@/server/audit/query/conditions";
import { type FullEntry, filterInput, fromBeforeTo, fullEntry, fullPage, listInput } from "@/server/audit/schema";
import { Signal, trackStream } from "@/server/ground/background/streams";
import type { Ctx } from "@/server/ground/context";
import { invalid } from "@/server/ground/errors";
import { writeExact } from "@/server/ground/exact-json";
import { acquireSlot, inCallerLimit } from "@/server/ground/limits/concurrency";
import { isStillAdmitted, operation } from "@/server/ground/operation";
import { choiceFilter, guid, pageLimit } from "@/server/ground/wire";
import { decodePosition, encodePosition, nextSpans, type Position, readSpans, rowsBehind } from "./position";
import { organizationsOf } from "./tail";
import { headWatch, readHeads } from "./watch";

const MAX_LIMIT = 1_000;
const MAX_WAIT_SECONDS = 30;
/** Rows of a chain per query; a request with few matches ends after this time (ms). */
const STEP_ROWS = 1_000;
const SCAN_MS = 2_000;
const FEED_SLOTS = { kind: "waiting feeds", max: 5, advice: "End one of them." };

const whole = (max: number) => z.coerce.number("must be a whole number").int("must be a whole number").min(0).max(max);

const feedInput = z
  .object({
    ...filterInput.shape,
    after: z
      .string()
      .min(1)
      .optional()
      .describe(
        "The `next` of the answer before; without it the feed begins at the oldest entry, with `now` at the next one",
      ),
    limit: pageLimit(MAX_LIMIT).default(100).describe(`Entries of an answer, at most ${MAX_LIMIT}`),
    wait: whole(MAX_WAIT_SECONDS)
      .default(0)
      .describe(`Seconds to wait for an entry where there is none, at most ${MAX_WAIT_SECONDS}`),
    format: choiceFilter(["json", "ndjson"])
      .transform((format) => format ?? "json")
      .describe("ndjson: an entry per line; `next` and `lag` are the headers Trailmark-Next and Trailmark-Lag"),
  })
  .superRefine(fromBeforeTo);
type FeedInput = z.output<typeof feedInput>;

const logInput = z
  .object({
    ...listInput.shape,
    afterSeq: whole(Number.MAX_SAFE_INTEGER)
      .optional()
      .describe("Only entries behind this sequence of the chain of the one orgId, oldest first; the total is -1"),
  })
  .superRefine(fromBeforeTo);

/**
 * lag counts sealed entries after `next`, filtered ones included. gaps: spans pruned before they were read, both ends
 * included.
 */
export const feedPage = z.strictObject({
  data: z.array(fullEntry),
  next: z.string(),
  lag: z.int(),
  gaps: z.array(z.strictObject({ orgId: guid, first: z.int(), last: z.int() })).optional(),
});
type FeedPage = z.output<typeof feedPage>;

type Heads = { position: Position; pruned: number[] };

async function headsOf(ctx: Ctx, orgIds: readonly string[]): Promise<Heads> {
  const heads = new Map((await tenant(ctx.scope, (tx) => readHeads(tx, orgIds))).map((head) => [head.orgId, head]));
  return {
    position: { orgIds, seqs: orgIds.map((orgId) => heads.get(orgId)?.seq ?? 0) },
    pruned: orgIds.map((orgId) => heads.get(orgId)?.prunedThrough ?? 0),
  };
}

/** @throws AppError validation_failed for a position in other chains */
function positionAfter(after: string | undefined, { position: heads }: Heads): Position {
  if (after === "now") return heads;
  if (after === undefined) return { orgIds: heads.orgIds, seqs: heads.orgIds.map(() => 0) };
  const position = decodePosition(after, heads.orgIds);
  if (!position) throw invalid("after", "is no position of these organizations");
  if (position.seqs.some((seq, i) => seq > (heads.seqs[i] ?? 0)))
    throw invalid("after", "is ahead of the log, which may have been restored from a backup");
  return position;
}

/** Moves past pruned rows. @returns the new position and the pruned rows that were unread */
function skipPruned({ orgIds, seqs }: Position, pruned: readonly number[]): { position: Position; gaps: Gaps } {
  const gaps = orgIds.flatMap((orgId, i) => {
    const [first, last] = [(seqs[i] ?? 0) + 1, pruned[i] ?? 0];
    return first <= last ? [{ orgId, first, last }] : [];
  });
  return { position: { orgIds, seqs: seqs.map((seq, i) => Math.max(seq, pruned[i] ?? 0)) }, gaps };
}
type Gaps = NonNullable<FeedPage["gaps"]>;

type Ahead = { filter: AuditFilter; position: Position; heads: Position; limit: number };

/** Reads up to `limit` entries after a position, each chain in order, and the position reached. */
async function readAhead(
  ctx: Ctx,
  { filter, position, heads, limit }: Ahead,
): Promise<{ entries: FullEntry[]; position: Position }> {
  const seqs = [...position.seqs];
  const entries: FullEntry[] = [];
  const deadline = performance.now() + SCAN_MS;
  while (entries.length < limit && performance.now() < deadline) {
    const spans = nextSpans({ orgIds: position.orgIds, seqs }, heads, STEP_ROWS);
    if (spans.length === 0) break;
    const found = await readSpans(ctx, filter, spans);
    for (const { orgId, through } of spans) {
      const rows = found.filter((entry) => entry.orgId === orgId);
      const taken = rows.slice(0, limit - entries.length);
      entries.push(...taken);
      seqs[position.orgIds.indexOf(orgId)] = taken.length < rows.length ? (taken.at(-1)?.chainSeq ?? 0) : through;
      if (entries.length === limit) break;
    }
  }
  return { entries, position: { orgIds: position.orgIds, seqs } };
}

/** GET /audit-logs/logs: newest first, or with afterSeq the entries of one chain after a sequence, in order. */
export const listLog = operation({
  permission: "audit:read",
  input: logInput,
  output: fullPage,
  async run(ctx, { afterSeq, ...input }) {
    if (afterSeq === undefined) return listFullEntries.run(ctx, input);
    const orgIds = await organizationsOf(ctx.scope);
    if (orgIds.length !== 1) throw invalid("afterSeq", "needs one orgId");
    const { position: heads } = await headsOf(ctx, orgIds);
    const { page: _, skipCount: __, cursor: ___, limit, ...filter } = input;
    const { entries } = await readAhead(ctx, { filter, position: { orgIds, seqs: [afterSeq] }, heads, limit });
    return { data: entries, pagination: { page: 1, limit, total: -1, totalPages: -1, nextCursor: null } };
  },
});

/** Resolves when a chain has grown, after `ms`, when the client disconnects or the server stops. */
async function untilGrown({ signal }: Ctx, { orgIds, seqs }: Position, ms: number): Promise<void> {
  const wake = new Signal();
  const undo = [trackStream(wake.notify)];
  signal?.addEventListener("abort", wake.notify, { once: true });
  try {
    undo.push(await headWatch.follow(orgIds, wake.notify));
    const isBehind = orgIds.some((orgId, i) => headWatch.headOf(orgId) > (seqs[i] ?? 0));
    if (!isBehind) await wake.wait(ms);
  } finally {
    signal?.removeEventListener("abort", wake.notify);
    for (const step of undo) step();
  }
}

async function readFeed(ctx: Ctx, { after, limit, wait, format: _, ...filter }: FeedInput): Promise<FeedPage> {
  const orgIds = await organizationsOf(ctx.scope);
  let heads = await headsOf(ctx, orgIds);
  const { position: start, gaps } = skipPruned(positionAfter(after, heads), heads.pruned);
  const read = (position: Position) =>
    inCallerLimit(ctx, () => readAhead(ctx, { filter, position, heads: heads.position, limit }));
  let { entries, position } = await read(start);
  const deadline = performance.now() + wait * 1_000;
  while (entries.length === 0 && performance.now() < deadline && !ctx.signal?.aborted) {
    if (rowsBehind(position, heads.position) === 0) await untilGrown(ctx, position, deadline - performance.now());
    if (!(await isStillAdmitted(ctx, feedEntries))) break;
    heads = await headsOf(ctx, orgIds);
    ({ entries, position } = await read(position));
  }
  return {
    data: entries,
    next: encodePosition(position),
    lag: rowsBehind(position, heads.position),
    ...(after !== undefined && gaps.length > 0 && { gaps }),
  };
}

function toResponse({ data, ...rest }: FeedPage, format: FeedInput["format"]): Response {
  const headers = { "Cache-Control": "no-store", "Trailmark-Next": rest.next, "Trailmark-Lag": String(rest.lag) };
  const text =
    format === "json" ? JSON.stringify({ data, ...rest }) : data.map((entry) => `${JSON.stringify(entry)}\n`).join("");
  return new Response(writeExact(text), {
    headers: { ...headers, "Content-Type": format === "json" ? "application/json" : FORMATS.ndjson.mediaType },
  });
}

/**
 * GET /audit-logs/feed: entries sealed after a position, oldest first. A reader that stores `next` together with the
 * entries misses none and gets none twice, late timestamps included.
 * @throws AppError validation_failed for an invalid position, rate_limited with too many waiting already
 */
export const feedEntries = operation({
  permission: "audit:stream",
  input: feedInput,
  output: "stream",
  waits: true,
  async run(ctx, input): Promise<Response> {
    const release = acquireSlot(ctx.actor, FEED_SLOTS);
    try {
      return toResponse(await readFeed(ctx, input), input.format);
    } finally {
      release();
    }
  },
});
