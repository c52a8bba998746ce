import { buffer } from "node:stream/consumers";
import { createGzip } from "node:zlib";
import { and, desc, eq, lt } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { archiveObjects, streamBatches } from "@/db/schema/index";
import { flushRecording, record } from "@/server/audit/record/record";
import { writeBundle } from "@/server/evidence/export/export";
import { planBundle } from "@/server/evidence/export/plan";
import { BundleStream } from "@/server/evidence/export/stream";
import { type Ctx, systemCtx } from "@/server/ground/context";
import { AppError } from "@/server/ground/errors";
import { idFrom } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { type Manifest, manifestKey, readOwnManifest, writeManifest } from "./archive-manifest";
import { type Range, readObject } from "./archive-object";
import type { Batch, Outcome, Target } from "./destination";
import { getObject, type NewObject, outcomeOfStore, putObject, type Store, storedAs } from "./s3-client";

/** Where an archive writes a batch, and how long it is locked. */
export type Place = { target: Target<Store>; key: string; lock: NewObject["lock"] };

/** Ends the attempt with an outcome. */
class Ended extends Error {
  constructor(readonly outcome: Outcome) {
    super(outcome.kind);
  }
}

const blocked = (code: string, message: string): Outcome => ({ kind: "blocked", code, message });

const ofOrganization = (orgId: string, signal: AbortSignal): Ctx => ({
  ...systemCtx(),
  scope: { kind: "organization", orgIds: [orgId], partnerId: "" },
  signal,
});

/** Entries of a range as a compressed evidence bundle, and the checkpoint that covers them. */
async function bundleOf(
  { orgId, first, last }: Range,
  { organization, signal }: { organization: string; signal: AbortSignal },
) {
  const ctx = ofOrganization(orgId, signal);
  const plan = await planBundle(ctx, orgId, { orgId, fromSeq: first, toSeq: last });
  const out = new BundleStream();
  const compressed = buffer(out.out.pipe(createGzip()));
  const createdAt = ctx.now().toISOString();
  await writeBundle(ctx, plan, { organization, createdAt, out, signal, onBegin: () => {} });
  return { body: await compressed, origin: plan.origin, checkpoint: plan.checkpoint.note };
}

/** Writes what does not exist yet. @throws Ended with the meaning of the store's refusal */
async function putOnce(target: Target<Store>, object: Omit<NewObject, "isOnce">): Promise<void> {
  const told = await putObject(target, { ...object, isOnce: true });
  // 412: written by an earlier attempt whose answer was lost; it is read back like any other.
  if (told.status !== 200 && told.status !== 412) throw new Ended(outcomeOfStore(told, target.now));
}

async function readBack(target: Target<Store>, key: string) {
  const told = await getObject(target, key);
  if (told.status !== 200) throw new Ended(outcomeOfStore(told, target.now));
  return { bytes: told.bytes, ...storedAs(told) };
}

/** Stream of a batch, and the digest of the previous object. */
const placeInSeries = ({ id, marker: { orgId, first } }: Batch) =>
  asSystem(async (tx) => {
    const [batch] = await tx.select().from(streamBatches).where(eq(streamBatches.id, id));
    if (!batch) return null;
    const t = archiveObjects;
    const [before] = await tx
      .select({ digest: t.digest })
      .from(t)
      .where(and(eq(t.orgId, orgId), eq(t.streamId, batch.streamId), lt(t.firstSeq, first)))
      .orderBy(desc(t.firstSeq))
      .limit(1);
    return { streamId: batch.streamId, previous: before?.digest ?? null };
  });

/** Writes the manifest beside an object; an existing one must be ours, for these bytes. */
async function keepManifest({ target, lock }: Place, manifest: Manifest): Promise<void> {
  const key = manifestKey(manifest.object);
  await putOnce(target, { key, body: Buffer.from(writeManifest(manifest)), type: "application/json", lock });
  const kept = readOwnManifest((await readBack(target, key)).bytes.toString("utf8"));
  if (kept?.digest !== manifest.digest || kept.object !== manifest.object)
    throw new Ended(
      blocked("manifest", `${key} is not the manifest that was written. Move it, or choose another prefix.`),
    );
}

type Kept = { streamId: string; manifest: Manifest; firstAt: Date; lastAt: Date };

/** Records it in the chain, then where retention and the page look it up. */
async function keepReceipt({ streamId, manifest, firstAt, lastAt }: Kept): Promise<void> {
  const { orgId, object: key, digest, rows, bytes, first, last, etag, versionId, lock } = manifest;
  const stored = { streamId, rows, bytes, digest, etag, versionId };
  record(systemCtx(), {
    id: idFrom("archive.receipt", streamId, orgId, key, digest),
    action: "archive.receipt",
    orgId,
    resourceType: "archive_object",
    resourceName: key,
    details: { ...stored, first, last, lock },
  });
  await flushRecording();
  await asSystem((tx) =>
    tx
      .insert(archiveObjects)
      .values({
        ...{ ...stored, orgId, key, firstSeq: first, lastSeq: last, firstAt, lastAt },
        ...(lock && { lockMode: lock.mode, lockUntil: new Date(lock.until) }),
      })
      .onConflictDoNothing(),
  );
}

async function write(place: Place, batch: Batch): Promise<Outcome> {
  const { target, key, lock } = place;
  const { orgId, first, last } = batch.marker;
  const series = await placeInSeries(batch);
  if (!series) throw new Ended({ kind: "again", code: "no_batch", message: "The batch was put together anew." });
  const range = { orgId, first, last };
  const made = await bundleOf(range, { organization: batch.organization.name, signal: target.signal });
  await putOnce(target, { key, body: made.body, type: "application/gzip", lock });
  const stored = await readBack(target, key);
  const read = await readObject(stored.bytes, range);
  if (read.fault !== null) throw new Ended(blocked("read_back", `${key} was read back. ${read.fault}`));
  const manifest: Manifest = {
    ...{ format: "trailmark-archive", version: 1, origin: made.origin, orgId, object: key, digest: read.digest },
    ...{ bytes: stored.bytes.length, rows: read.rows, first, last, previous: series.previous },
    ...{ checkpoint: made.checkpoint, etag: stored.etag, versionId: stored.version },
    lock: stored.lockMode && stored.lockUntil ? { mode: stored.lockMode, until: stored.lockUntil } : null,
  };
  await keepManifest(place, manifest);
  await keepReceipt({ streamId: series.streamId, manifest, firstAt: read.firstAt, lastAt: read.lastAt });
  const { etag, version } = stored;
  return { kind: "acknowledged", receipt: { key, digest: read.digest, etag, version } };
}

/**
 * Writes a batch's entries as an evidence bundle with a signed manifest, reads both back, and records the receipt; only
 * then is it acknowledged, and retention may remove its range. Never rejects.
 */
export async function archiveBatch(place: Place, batch: Batch): Promise<Outcome> {
  try {
    return await write(place, batch);
  } catch (error) {
    if (error instanceof Ended) return error.outcome;
    if (error instanceof AppError) return { kind: "again", code: error.code, message: error.message };
    log.error({ err: error, orgId: batch.marker.orgId }, "entries could not be archived");
    return { kind: "again", code: "failed", message: "The entries could not be put together; see the server's log." };
  }
}
