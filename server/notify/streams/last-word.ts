import { and, eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations, streamPositions } from "@/db/schema";
import { type AuditEvent, flushRecording, record } from "@/server/audit/record/record";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { log } from "@/server/ground/log";
import { heartbeatOf, readerOf } from "./batch";
import { DESTINATIONS } from "./destinations";
import { readEntry } from "./read";
import { targetOf } from "./send";
import type { StreamRow } from "./stream";

/** Maximum delay of a change that takes something from a receiver. */
const LAST_WORD_MS = 10_000;

/** Position of an entry in a stream: its organization, and the receiver's progress there. */
async function placeOf(stream: StreamRow, orgId: string) {
  const [found] = await asSystem((tx) =>
    tx
      .select({
        organization: { id: organizations.id, name: organizations.name, slug: organizations.slug },
        through: streamPositions.throughSeq,
        digest: streamPositions.digest,
      })
      .from(organizations)
      .leftJoin(
        streamPositions,
        and(
          eq(streamPositions.orgId, organizations.id),
          eq(streamPositions.streamId, stream.id),
          eq(streamPositions.replayId, ZERO_UUID),
        ),
      )
      .where(eq(organizations.id, orgId)),
  );
  return found;
}

async function send(stream: StreamRow, { orgId, entryId }: { orgId: string; entryId: string }): Promise<void> {
  const signal = AbortSignal.timeout(LAST_WORD_MS);
  await flushRecording(LAST_WORD_MS / 2);
  const place = await placeOf(stream, orgId);
  const { target } = targetOf(stream, { now: new Date(), signal });
  if (!place || !target) return;
  const source = { stream, organization: place.organization };
  const entries = await readEntry(readerOf(source), entryId);
  const batch = await heartbeatOf({ ...source, entries, through: place.through ?? 0, digest: place.digest });
  await DESTINATIONS[stream.kind].send(target, batch);
}

type Change = AuditEvent & { orgId: string | null };

/**
 * Records a change that takes something from a stream's receiver, and sends that entry under the former settings, ahead
 * of its turn, so that the receiver learns of the cut. Waits ten seconds at most; never rejects.
 */
export async function recordLastWord(ctx: Ctx, before: StreamRow, change: Change): Promise<void> {
  const entryId = newId();
  record(ctx, { ...change, id: entryId });
  const { orgId } = change;
  // These had no active receiver.
  if (!orgId || before.state === "draft" || before.state === "disabled") return;
  try {
    await send(before, { orgId, entryId });
  } catch (error) {
    log.warn({ err: error, stream: before.id }, "the receiver of a stream could not be told of its change");
  }
}
