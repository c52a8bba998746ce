import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { archiveObjects, dataStreams } from "@/db/schema/index";
import { AppError } from "@/server/ground/errors";
import { manifestKey, readOwnManifest } from "@/server/notify/streams/destinations/archive-manifest";
import { type ReadObject, readObject } from "@/server/notify/streams/destinations/archive-object";
import { getObject, outcomeOfStore, type Store } from "@/server/notify/streams/destinations/s3-client";
import { targetOf } from "@/server/notify/streams/send";

export type ObjectRow = typeof archiveObjects.$inferSelect;

/** Store of an archive. @throws AppError conflict where its settings or secret cannot be used */
async function storeOf({ streamId }: ObjectRow, signal: AbortSignal) {
  const [stream] = await asSystem((tx) => tx.select().from(dataStreams).where(eq(dataStreams.id, streamId)));
  if (!stream) throw new AppError("conflict", "The archive's data stream was deleted.");
  const { target, fault } = targetOf(stream, { now: new Date(), signal });
  if (fault) throw new AppError("conflict", fault.message);
  return { ...target, config: target.config as Store };
}

/** Bytes of an object; null if the store has none. @throws AppError unavailable where the store did not answer */
async function fetchObject(target: Awaited<ReturnType<typeof storeOf>>, key: string): Promise<Buffer | null> {
  const told = await getObject(target, key);
  if (told.status === 200) return told.bytes;
  if (told.status === 404) return null;
  const outcome = outcomeOfStore(told, target.now);
  throw new AppError("unavailable", `The store cannot be read. ${"message" in outcome ? outcome.message : ""}`);
}

/**
 * Reads and checks an archived object: its bytes are unchanged, its manifest is signed by this installation, and each
 * entry is in its place under a signed checkpoint.
 * @throws AppError conflict, unavailable where the store cannot be read: that says nothing about the object
 */
export async function readArchived(row: ObjectRow, signal: AbortSignal): Promise<ReadObject> {
  const target = await storeOf(row, signal);
  const { orgId, key, digest, firstSeq: first, lastSeq: last } = row;
  const [bytes, file] = await Promise.all([fetchObject(target, key), fetchObject(target, manifestKey(key))]);
  if (!bytes) return { fault: "The store no longer has it." };
  const manifest = file && readOwnManifest(file.toString("utf8"));
  if (!manifest) return { fault: file ? "Its manifest is not the one that was signed." : "Its manifest is gone." };
  const isOfIt = manifest.object === key && manifest.digest === digest && manifest.orgId === orgId;
  if (!isOfIt || manifest.first !== first || manifest.last !== last)
    return { fault: "Its manifest is of another object." };
  const read = await readObject(bytes, { orgId, first, last });
  return read.fault === null && read.digest !== digest ? { fault: "Its bytes are not those that were written." } : read;
}

/** Stores the result of a check. */
export const keepCheck = async ({ id }: ObjectRow, fault: string | null, now: Date): Promise<void> => {
  await asSystem((tx) => tx.update(archiveObjects).set({ fault, checkedAt: now }).where(eq(archiveObjects.id, id)));
};
