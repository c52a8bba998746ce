import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { oneOf } from "@/db/rows";
import { streamBatches, streamGaps, streamPositions } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { readNodes } from "@/server/evidence/checkpoints/nodes";
import { newestCheckpoint } from "@/server/evidence/checkpoints/note-store";
import { originOfOrg } from "@/server/evidence/checkpoints/stored-note";
import { TreeDamage } from "@/server/evidence/checkpoints/tiles";
import { toBase64 } from "@/server/evidence/tree/signed-note";
import { decompose } from "@/server/evidence/tree/tree";
import { systemCtx, ZERO_UUID } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { DESTINATIONS } from "./destinations";
import type { Batch, Line } from "./destinations/destination";
import { FORMATS } from "./formats";
import { batchDigest, type Sealed } from "./formats/digest";
import type { BatchMarker, StreamedEntry } from "./formats/format";
import { atPosition, type BatchRow, isSilent, type Work } from "./positions";
import { type Reader, readEntries, readSealed, type Span } from "./read";

/** Filtered entries collected before a batch is sent without any other. */
const MAX_FILTERED = 1_000;

export type Ready = { row: BatchRow; batch: Batch };

type Source = Pick<Work, "stream" | "organization">;

export const readerOf = ({ stream, organization }: Source): Reader => ({
  owner: stream,
  organization,
  filter: stream.filter,
});

const isFiltering = ({ stream }: Work): boolean => Object.keys(stream.filter).length > 0;

/** Sequence and checksum of all entries of a range; without a filter taken from the entries. */
const sealedIn = async (work: Work, span: Span, entries: readonly StreamedEntry[]): Promise<Sealed[]> =>
  isFiltering(work)
    ? readSealed(readerOf(work), span)
    : entries.map(({ entry }): Sealed => [entry.chainSeq, entry.checksum]);

function linesOf({ stream }: Source, entries: readonly StreamedEntry[]): Line[] {
  const format = FORMATS[stream.format];
  return entries.map((streamed) => ({
    id: streamed.entry.id,
    seq: streamed.entry.chainSeq,
    time: new Date(streamed.entry.timestamp),
    text: format.entry(streamed),
  }));
}

/** As many lines as fit into a batch, at least one. */
function fitting(lines: readonly Line[], maxBytes: number): { lines: Line[]; bytes: number } {
  let bytes = 0;
  const end = lines.findIndex(({ text }, i) => {
    const more = Buffer.byteLength(text) + 1;
    if (i > 0 && bytes + more > maxBytes) return true;
    bytes += more;
    return false;
  });
  return { lines: end < 0 ? [...lines] : lines.slice(0, end), bytes };
}

/**
 * Tree hashes before a stream's first batch, with which its receiver can recompute the root of a checkpoint. Undefined
 * if nothing came before, or if the tree is damaged, which is reported elsewhere.
 */
async function hashesBefore({ orgId, firstSeq, previous }: BatchRow): Promise<string[] | undefined> {
  if (previous !== null || firstSeq === 1) return undefined;
  const size = firstSeq - 1;
  const ids = decompose(0, size);
  try {
    const node = await asSystem((tx) => readNodes(tx, { orgId, size, ids }));
    return ids.map((id) => toBase64(node(id)));
  } catch (error) {
    if (error instanceof TreeDamage) return undefined;
    throw error;
  }
}

/** Lines ending with their marker. */
function batchOf({ stream, organization }: Source, lines: readonly Line[], marker: BatchMarker): Batch {
  const { batch: id, at } = marker;
  const format = FORMATS[stream.format];
  const text = format.marker(marker, originOfOrg(organization.id));
  const last: Line = { id, seq: null, time: new Date(at), text };
  return { id, organization, lines: [...lines, last], mediaType: format.mediaType, marker };
}

/** Batch of a row and its lines. */
async function toBatch(work: Work, row: BatchRow, of: { lines: Line[]; sealed: Sealed[] }): Promise<Batch> {
  const before = await hashesBefore(row);
  const sent = new Set(of.lines.map(({ seq }) => seq));
  return batchOf(work, of.lines, {
    type: "trailmark.batch",
    batch: row.id,
    orgId: row.orgId,
    at: row.createdAt.toISOString(),
    first: row.firstSeq,
    last: row.lastSeq,
    rows: of.lines.length,
    filtered: of.sealed.filter(([seq]) => !sent.has(seq)),
    ...(row.gap && { gap: row.gap }),
    previous: row.previous,
    digest: row.digest,
    checkpoint: row.checkpoint,
    ...(before && { before }),
    ...(row.replayId !== ZERO_UUID && { replay: row.replayId }),
  });
}

type Silence = Source & { digest: string | null; through: number; entries?: readonly StreamedEntry[] };

/**
 * Progress of a receiver, so that it can tell silence from a cut; may carry entries sent ahead of their turn. Does not
 * move the position.
 */
export async function heartbeatOf({ digest: previous, through, entries = [], ...source }: Silence): Promise<Batch> {
  const orgId = source.organization.id;
  const checkpoint = await asSystem((tx) => newestCheckpoint(tx, orgId));
  const lines = linesOf(source, entries);
  return batchOf(source, lines, {
    type: "trailmark.heartbeat",
    batch: newId(),
    orgId,
    at: new Date().toISOString(),
    first: through + 1,
    last: through,
    rows: lines.length,
    filtered: [],
    previous,
    digest: batchDigest(previous, []),
    checkpoint: checkpoint?.note ?? null,
  });
}

/** The batch whose limits are stored, unchanged; null if retention has removed some of its entries. */
async function openBatch(work: Work, row: BatchRow): Promise<Ready | null> {
  if (work.head.prunedThrough >= row.firstSeq && row.lastSeq >= row.firstSeq) return null;
  const span = { after: row.firstSeq - 1, through: row.lastSeq };
  const entries = await readEntries(readerOf(work), span);
  const sealed = await sealedIn(work, span, entries);
  const [counted] = await asSystem((tx) =>
    tx
      .update(streamBatches)
      .set({ attempts: row.attempts + 1 })
      .where(eq(streamBatches.id, row.id))
      .returning(),
  );
  return counted
    ? { row: counted, batch: await toBatch(work, counted, { lines: linesOf(work, entries), sealed }) }
    : null;
}

/** Start of the next batch: after the acknowledged or pruned entries. */
function beginningOf({ position, head }: Work) {
  const { throughSeq, scannedSeq } = position;
  const isGap = head.prunedThrough > throughSeq;
  const after = Math.max(throughSeq, head.prunedThrough);
  const gap = isGap ? { first: throughSeq + 1, last: head.prunedThrough } : null;
  return { after, scanned: Math.max(scannedSeq, after), gap };
}

type Content = { lines: Line[]; sealed: Sealed[]; last: number };

/** Part of a batch that its marker can describe; remaining filtered entries go to the next. */
function withinMarker(content: Content, most = Number.POSITIVE_INFINITY): Content {
  const sent = new Set(content.lines.map(({ seq }) => seq));
  let filtered = 0;
  const end = content.sealed.findIndex(([seq]) => !sent.has(seq) && ++filtered > most);
  if (end < 0) return content;
  const sealed = content.sealed.slice(0, end);
  const last = sealed.at(-1)?.[0] ?? content.last;
  return { sealed, last, lines: content.lines.filter(({ seq }) => seq !== null && seq <= last) };
}

type Limits = { first: number; last: number; gap: BatchRow["gap"]; sealed: Sealed[]; lines: Line[]; bytes: number };

/** Stores the contents of a batch before anything is sent. */
async function writeLimits({ key, stream, position }: Work, limits: Limits): Promise<BatchRow> {
  const { first, last, gap, sealed, lines, bytes } = limits;
  const { row, about } = await asSystem(async (tx) => {
    const checkpoint = await newestCheckpoint(tx, key.orgId);
    const inserted = await tx
      .insert(streamBatches)
      .values({
        ...key,
        id: newId(),
        number: position.batchNumber + 1,
        firstSeq: first,
        lastSeq: last,
        rows: lines.length,
        filtered: sealed.length - lines.length,
        bytes,
        previous: position.digest,
        digest: batchDigest(position.digest, sealed),
        checkpoint: checkpoint?.note ?? null,
        gap,
        createdAt: new Date(),
      })
      .returning();
    const lost = gap && { firstSeq: gap.first, lastSeq: gap.last, reason: "retention" as const };
    if (lost) await tx.insert(streamGaps).values({ streamId: key.streamId, orgId: key.orgId, ...lost });
    return { row: oneOf(inserted), about: await ownedResource(tx, "stream", stream) };
  });
  if (gap) record(systemCtx(), { ...about, orgId: key.orgId, action: "stream.gap", details: { ...gap } });
  return row;
}

/** Next batch of a position with stored limits; null if there is nothing to send yet. */
async function newBatch(work: Work): Promise<Ready | null> {
  const { key, stream, position, head } = work;
  const { limits, lingerMs } = DESTINATIONS[stream.kind];
  const { after, scanned, gap } = beginningOf(work);
  const room = Math.min(position.maxRows ?? limits.rows, limits.rows);
  const through = Math.min(head.seq, position.untilSeq ?? head.seq, scanned + room);
  // Filtered entries are sent along with a gap, or instead of a heartbeat.
  const isOwed = gap !== null || (isSilent(work) && through > after);
  if (through <= scanned && !isOwed) return null;
  const entries = through > scanned ? await readEntries(readerOf(work), { after: scanned, through }) : [];
  if (entries.length === 0 && !isOwed && through - after < MAX_FILTERED && through !== position.untilSeq) {
    await asSystem((tx) => tx.update(streamPositions).set({ scannedSeq: through }).where(atPosition(key)));
    return null;
  }
  const dueAt = new Date(Date.parse(entries[0]?.sealedAt ?? "") + (lingerMs?.(stream.config) ?? 0));
  if (dueAt > new Date() && through === head.seq && !isOwed) {
    await asSystem((tx) => tx.update(streamPositions).set({ nextAttemptAt: dueAt }).where(atPosition(key)));
    return null;
  }
  const fit = fitting(linesOf(work, entries), limits.bytes);
  const end = fit.lines.length < entries.length ? (fit.lines.at(-1)?.seq ?? through) : through;
  const all = await sealedIn(work, { after, through: end }, entries.slice(0, fit.lines.length));
  const whole = { lines: fit.lines, sealed: all, last: end };
  const { lines, sealed, last } = withinMarker(whole, FORMATS[stream.format].maxFiltered);
  const { bytes } = fitting(lines, limits.bytes);
  const row = await writeLimits(work, { first: after + 1, last, gap, sealed, lines, bytes });
  return { row, batch: await toBatch(work, row, { lines, sealed }) };
}

/** Next batch of a position: the open one again, or a new one. */
export async function nextBatch(work: Work): Promise<Ready | null> {
  const { open } = work;
  const again = open && (await openBatch(work, open));
  if (again) return again;
  if (open) await asSystem((tx) => tx.delete(streamBatches).where(eq(streamBatches.id, open.id)));
  return newBatch(work);
}
