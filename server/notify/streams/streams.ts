import { and, asc, desc, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { dataStreams, streamPositions } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { AppError, invalid } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { ofOwner } from "@/server/ground/scope";
import { versionOf } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { reachesWholePartner, requireWholePartner } from "@/server/identity/auth/grant";
import { overlapOf, sealSecret, secretsOf } from "@/server/notify/secrets";
import { DESTINATIONS } from "./destinations";
import { recordLastWord } from "./last-word";
import { dropOpenBatches } from "./positions";
import { createdStream, createInput, listInput, rotateInput, stream, streamPage, updateInput } from "./schema";
import { placeAtStart, type Start } from "./start";
import {
  auditable,
  findStream,
  lockStream,
  readConfig,
  readProgress,
  type StreamRow,
  toStream,
  visible,
} from "./stream";
import type { StreamKind } from "./vocabulary";

const MAX_PER_OWNER = 50;
const t = dataStreams;

/** A stream as the caller may see it. */
export const shownStream = (ctx: Ctx, row: StreamRow) =>
  tenant(ctx.scope, async (tx) => {
    const [progress, isWhole] = await Promise.all([readProgress(tx, [row.id]), reachesWholePartner(tx, ctx)]);
    return toStream({ row, progress: progress.get(row.id), isWhole });
  });

/** Streams with entries of the caller's organizations, newest first. */
export const listStreams = operation({
  permission: "streams:manage",
  input: listInput,
  output: streamPage,
  run(ctx, input) {
    const where = visible(ctx);
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(t).orderBy(desc(t.createdAt), asc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const ids = rows.map(({ id }) => id);
      const [progress, isWhole] = await Promise.all([readProgress(tx, ids), reachesWholePartner(tx, ctx)]);
      return { data: rows.map((row) => toStream({ row, progress: progress.get(row.id), isWhole })), pagination };
    });
  },
});

/** @throws AppError not_found */
export const getStream = operation({
  permission: "streams:manage",
  input: onlyIdInput,
  output: stream,
  version: versionOf,
  run: async (ctx, { id }) => shownStream(ctx, await tenant(ctx.scope, (tx) => findStream(tx, ctx, id))),
});

type NewSecret = { secret: string | null; shown: string | null };

/** Secret of a stream: generated if the destination signs, else the given one. */
function secretFor(kind: StreamKind, given: string | undefined, former?: string): NewSecret {
  const { secret: wanted, createSecret } = DESTINATIONS[kind];
  if (given !== undefined) {
    const fault = wanted ? wanted.schema.safeParse(given).error?.issues[0]?.message : "is not used by this destination";
    if (fault) throw invalid("secret", fault);
  }
  if (createSecret) return createSecret(given, former);
  if (wanted && !wanted.isOptional && given === undefined) throw invalid("secret", `is needed: ${wanted.label}`);
  return { secret: given ?? null, shown: null };
}

/** @throws AppError validation_failed for an archive that would omit entries */
function refusePartialArchive(config: Record<string, unknown>, filter: Record<string, unknown>): void {
  if (config.archive === true && Object.keys(filter).length > 0)
    throw invalid("filter", "must be empty for an archive, which has every entry");
}

/**
 * Adds a stream as a draft, which a successful check starts. Only this answer has a generated secret.
 * @throws AppError validation_failed for settings that the destination does not take, conflict for too many, forbidden
 */
export const createStream = operation({
  permission: "streams:manage",
  input: createInput,
  output: createdStream,
  stepUp: () => true,
  async run(ctx, { name, kind, format, filter, start, holdDays = null, ...input }) {
    const config = readConfig(kind, input.config);
    refusePartialArchive(config, filter);
    const { secret, shown } = secretFor(kind, input.secret);
    const owner = await ownerFor(ctx, input);
    const id = newId();
    const now = ctx.now();
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!owner.orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_PER_OWNER, owner: owner.orgId ?? owner.partnerId, what: "streams" };
      await requireQuota(tx, { table: t, where: ofOwner(t, owner), remedy: "Delete one first.", ...bound });
      const created = await tx
        .insert(t)
        .values({
          ...{ id, ...owner, name, kind, config, format, filter, holdDays },
          secret: secret && sealSecret("streams", id, secret),
          state: "draft",
          stateSince: now,
          createdBy: ctx.actor.type === "user" ? ctx.actor.id : null,
        })
        .returning();
      const row = oneOf(created);
      await placeAtStart(tx, row, startOf(config, start));
      return { row, about: await ownedResource(tx, "stream", row) };
    });
    record(ctx, { ...about, action: "stream.create", details: { after: auditable(row) } });
    return { ...(await shownStream(ctx, row)), secret: shown };
  },
});

/** An archive always starts with the log, because retention may remove entries that it lacks. */
const startOf = (config: Record<string, unknown>, start: Start): Start =>
  config.archive === true ? "beginning" : start;

/** Changes a draft's start. @throws AppError conflict for a stream that was started */
async function moveStart(tx: Tx, row: StreamRow, start: Start): Promise<void> {
  if (row.state !== "draft")
    throw new AppError("conflict", "The stream was started already. Replay sends older entries again.");
  await tx
    .delete(streamPositions)
    .where(and(eq(streamPositions.streamId, row.id), eq(streamPositions.replayId, ZERO_UUID)));
  await placeAtStart(tx, row, startOf(row.config, start));
}

/**
 * Changes a stream's name, settings, format, filter, hold or lock, and the start of a draft. An open batch is rebuilt.
 * @throws AppError not_found, forbidden, validation_failed, conflict for the start of a stream that was started
 */
export const updateStream = operation({
  permission: "streams:manage",
  input: updateInput,
  output: stream,
  version: versionOf,
  stepUp: () => true,
  waits: true,
  async run(ctx, { id, config, start, ...input }) {
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const before = await lockStream(tx, ctx, id);
      if (input.locked !== undefined) await requireWholePartner(tx, ctx);
      const change = { ...input, ...(config && { config: readConfig(before.kind, config) }) };
      const changed = await tx
        .update(t)
        .set({ ...change, updatedAt: ctx.now() })
        .where(eq(t.id, id))
        .returning();
      const after = oneOf(changed);
      refusePartialArchive(after.config, after.filter);
      if ((before.config.archive ?? false) !== (after.config.archive ?? false))
        throw invalid("config.archive", "cannot be changed; add another stream");
      if (config || input.format || input.filter) await dropOpenBatches(tx, id);
      if (start) await moveStart(tx, after, start);
      return { before, after, about: await ownedResource(tx, "stream", after) };
    });
    const settingsChanged = JSON.stringify(before.config) !== JSON.stringify(after.config);
    const details = { before: auditable(before), after: auditable(after), settingsChanged };
    const change = { ...about, action: "stream.update" as const, details };
    if (config || input.format || input.filter) await recordLastWord(ctx, before, change);
    else record(ctx, change);
    return shownStream(ctx, after);
  },
});

/**
 * Replaces a stream's secret. A signing destination uses both until the overlap ends.
 * @throws AppError not_found, forbidden, validation_failed
 */
export const rotateStream = operation({
  permission: "streams:manage",
  input: rotateInput,
  output: createdStream,
  stepUp: () => true,
  waits: true,
  async run(ctx, { id, secret: given, overlapSeconds }) {
    const { row, about, before, shown } = await tenant(ctx.scope, async (tx) => {
      const found = await lockStream(tx, ctx, id);
      const { secret, shown } = secretFor(found.kind, given, secretsOf("streams", found, ctx.now())[0]);
      const change = {
        secret: secret && sealSecret("streams", id, secret),
        ...overlapOf(found, overlapSeconds, ctx.now()),
      };
      const row = oneOf(await tx.update(t).set(change).where(eq(t.id, id)).returning());
      return { row, about: await ownedResource(tx, "stream", row), before: found, shown };
    });
    const details = { before: auditable(before).secret, after: auditable(row).secret, overlapSeconds };
    await recordLastWord(ctx, before, { ...about, action: "stream.rotate", details });
    return { ...(await shownStream(ctx, row)), secret: shown };
  },
});

/**
 * Deletes a stream with its positions and batches; its audit entries stay.
 * @throws AppError not_found, forbidden
 */
export const removeStream = operation({
  permission: "streams:manage",
  input: onlyIdInput,
  output: "empty",
  version: () => null,
  stepUp: () => true,
  waits: true,
  async run(ctx, { id }) {
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockStream(tx, ctx, id);
      await tx.delete(t).where(eq(t.id, id));
      return { row: found, about: await ownedResource(tx, "stream", found) };
    });
    await recordLastWord(ctx, row, { ...about, action: "stream.delete", details: { before: auditable(row) } });
  },
});
