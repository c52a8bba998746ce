import { and, desc, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { dataStreams, organizations, streamBatches, streamGaps, streamPositions } from "@/db/schema/index";
import type { ActionCode } from "@/server/audit/actions";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import { organizationsOf } from "@/server/audit/tail/tail";
import { readHeads } from "@/server/audit/tail/watch";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inScope } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import type { OnStep } from "@/server/notify/webhooks/post";
import { DESTINATIONS } from "./destinations";
import { FORMATS } from "./formats";
import { recordLastWord } from "./last-word";
import { readEntries } from "./read";
import {
  batch,
  batchPage,
  type CheckStep,
  checkInput,
  checkResult,
  gap,
  gapPage,
  pagedIdInput,
  previewInput,
  previewResult,
  replayInput,
  replayStarted,
  stream,
} from "./schema";
import { targetOf } from "./send";
import { auditable, findStream, lockStream, refuseWhile, type StreamRow } from "./stream";
import { shownStream } from "./streams";

const CHECK_MS = 30_000;
/** Newest entries read for a preview, and entries shown. */
const PREVIEW_SCAN = 1_000;
const PREVIEW_ROWS = 3;

type Change = { row: StreamRow; state: StreamRow["state"]; action: ActionCode };

/** Changes a stream's state; when it sends again, waiting attempts start at once. */
async function changeState(tx: Tx, ctx: Ctx, { row, state, action }: Change) {
  const now = ctx.now();
  const changed = await tx
    .update(dataStreams)
    .set({ state, stateSince: now, stateCode: null, stateMessage: null, updatedAt: now })
    .where(eq(dataStreams.id, row.id))
    .returning();
  await tx
    .update(streamPositions)
    .set({ nextAttemptAt: null, attempts: 0 })
    .where(eq(streamPositions.streamId, row.id));
  const details = { before: auditable(row), after: auditable({ ...row, state }) };
  return { before: row, row: oneOf(changed), event: { ...(await ownedResource(tx, "stream", row)), action, details } };
}

/** Steps of a check with their durations; null for steps answered together. */
async function timed(check: (onStep: OnStep) => Promise<CheckStep[]>) {
  const took = new Map<string, number>();
  let since = performance.now();
  const pass = (step: string) => {
    if (took.has(step)) return;
    const now = performance.now();
    took.set(step, Math.round(now - since));
    since = now;
  };
  const steps = await check(pass);
  const last = steps.at(-1);
  if (last) pass(last.step);
  return steps.map((one) => ({ ...one, ms: took.get(one.step) ?? null }));
}

/**
 * Tests a stream's destination step by step without sending an entry. By default, success starts a draft, or a stream
 * that waits for a person.
 * @throws AppError not_found, forbidden, rate_limited
 */
export const checkStream = operation({
  permission: "streams:manage",
  input: checkInput,
  output: checkResult,
  stepUp: () => true,
  waits: true,
  async run(ctx, { id, starts }) {
    await limit("delivery", ctx.homeOrgId);
    const found = await tenant(ctx.scope, (tx) => lockStream(tx, ctx, id));
    const signal = AbortSignal.timeout(CHECK_MS);
    const { target, fault } = targetOf(found, { now: ctx.now(), signal });
    const steps = fault
      ? [{ step: "address" as const, ok: false, message: fault.message, ms: null }]
      : await timed((onStep) => DESTINATIONS[found.kind].check({ ...target, onStep }));
    const ok = steps.every((step) => step.ok);
    const { row, changed } = await tenant(ctx.scope, async (tx) => {
      const row = await lockStream(tx, ctx, id);
      const isUnchanged = row.updatedAt.getTime() === found.updatedAt.getTime();
      const isWaiting = row.state !== "paused" && row.state !== "active";
      const changed =
        ok && starts && isUnchanged && isWaiting
          ? await changeState(tx, ctx, { row, state: "active", action: "stream.resume" })
          : null;
      const checked = { checkedAt: ctx.now() };
      return {
        row: oneOf(await tx.update(dataStreams).set(checked).where(eq(dataStreams.id, id)).returning()),
        changed,
      };
    });
    if (changed) record(ctx, changed.event);
    return { ok, steps, stream: await shownStream(ctx, row) };
  },
});

/** @throws AppError not_found, forbidden, conflict for a stream that is paused */
export const pauseStream = operation({
  permission: "streams:manage",
  input: onlyIdInput,
  output: stream,
  stepUp: () => true,
  waits: true,
  async run(ctx, { id }) {
    const { before, row, event } = await tenant(ctx.scope, async (tx) => {
      const found = await lockStream(tx, ctx, id);
      refuseWhile(found, ["paused"], "Resume it first.");
      return changeState(tx, ctx, { row: found, state: "paused", action: "stream.pause" });
    });
    await recordLastWord(ctx, before, event);
    return shownStream(ctx, row);
  },
});

/**
 * Continues a stream where it stopped, also after it was blocked or disabled. @throws AppError not_found, forbidden,
 * conflict
 */
export const resumeStream = operation({
  permission: "streams:manage",
  input: onlyIdInput,
  output: stream,
  stepUp: () => true,
  async run(ctx, { id }) {
    const { row, event } = await tenant(ctx.scope, async (tx) => {
      const found = await lockStream(tx, ctx, id);
      refuseWhile(found, ["active"], "There is nothing to resume.");
      return changeState(tx, ctx, { row: found, state: "active", action: "stream.resume" });
    });
    record(ctx, event);
    return shownStream(ctx, row);
  },
});

type Carried = { row: StreamRow; orgId: string | undefined };

/** The organization to use. @throws AppError validation_failed, not_found for one that is not streamed */
async function carriedOrg(tx: Tx, ctx: Ctx, { row, orgId = row.orgId ?? undefined }: Carried): Promise<string> {
  if (!orgId) throw invalid("orgId", "is needed, because the stream carries several organizations");
  const of = row.orgId ? eq(organizations.id, row.orgId) : eq(organizations.partnerId, row.partnerId);
  const where = and(inScope(organizations.id, ctx.scope), of, eq(organizations.id, orgId));
  const [found] = await tx.select({ id: organizations.id }).from(organizations).where(where);
  if (!found) throw notFound("organization");
  return orgId;
}

/**
 * Sends a part of one chain again, beside the live position.
 * @throws AppError not_found, forbidden, conflict for an archive, validation_failed for a part that the log does not
 * hold (any more)
 */
export const replayStream = operation({
  permission: "streams:manage",
  input: replayInput,
  output: replayStarted,
  stepUp: () => true,
  async run(ctx, { id, fromSeq, toSeq, reason, ...input }) {
    if (fromSeq > toSeq) throw invalid("fromSeq", "is after toSeq");
    const replayId = newId();
    const { about, orgId } = await tenant(ctx.scope, async (tx) => {
      const row = await lockStream(tx, ctx, id);
      if (row.config.archive === true)
        throw new AppError("conflict", "An archive keeps its objects and is not sent again.");
      const orgId = await carriedOrg(tx, ctx, { row, orgId: input.orgId });
      const [head] = await readHeads(tx, [orgId]);
      if (fromSeq <= (head?.prunedThrough ?? 0)) throw invalid("fromSeq", "was removed by retention");
      if (toSeq > (head?.seq ?? 0)) throw invalid("toSeq", "is past the newest entry");
      const start = { throughSeq: fromSeq - 1, scannedSeq: fromSeq - 1, untilSeq: toSeq };
      await tx.insert(streamPositions).values({ streamId: id, orgId, replayId, ...start });
      return { about: await ownedResource(tx, "stream", row), orgId };
    });
    record(ctx, { ...about, action: "stream.replay", details: { orgId, fromSeq, toSeq, reason, replayId } });
    return { replayId };
  },
});

/** Batches of a stream in the caller's organizations, newest first. @throws AppError not_found */
export const listBatches = operation({
  permission: "streams:manage",
  input: pagedIdInput,
  output: batchPage,
  run(ctx, input) {
    const t = streamBatches;
    return tenant(ctx.scope, async (tx) => {
      await findStream(tx, ctx, input.id);
      const query = tx.select().from(t).orderBy(desc(t.createdAt), desc(t.id)).$dynamic();
      const where = and(inScope(t.orgId, ctx.scope), eq(t.streamId, input.id));
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const data = rows.map(({ firstSeq: first, lastSeq: last, replayId, ...row }) =>
        answerOf(batch, { ...row, first, last, replayId: replayId === ZERO_UUID ? null : replayId }),
      );
      return { data, pagination };
    });
  },
});

/** Entries that a stream will never deliver, in the caller's organizations, newest first. @throws AppError not_found */
export const listGaps = operation({
  permission: "streams:manage",
  input: pagedIdInput,
  output: gapPage,
  run(ctx, input) {
    const t = streamGaps;
    return tenant(ctx.scope, async (tx) => {
      await findStream(tx, ctx, input.id);
      const query = tx.select().from(t).orderBy(desc(t.createdAt), desc(t.id)).$dynamic();
      const where = and(inScope(t.orgId, ctx.scope), eq(t.streamId, input.id));
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      const data = rows.map(({ firstSeq: first, lastSeq: last, ...row }) => answerOf(gap, { ...row, first, last }));
      return { data, pagination };
    });
  },
});

/** Newest three entries of an organization in a format, as a stream would send them. @throws AppError forbidden */
export const previewStream = operation({
  permission: "streams:manage",
  input: previewInput,
  output: previewResult,
  async run(ctx, { format, filter }) {
    const [orgId] = await organizationsOf(ctx.scope);
    if (!orgId) return { lines: [] };
    const { organization, head } = await tenant(ctx.scope, async (tx) => {
      const [found] = await tx.select().from(organizations).where(eq(organizations.id, orgId));
      const [head] = await readHeads(tx, [orgId]);
      if (!found) throw notFound("organization");
      return { organization: found, head };
    });
    const { id, name, slug, partnerId } = organization;
    const through = head?.seq ?? 0;
    const span = { after: Math.max(0, through - PREVIEW_SCAN), through };
    const reader = { owner: { orgId, partnerId }, organization: { id, name, slug }, filter };
    const entries = await readEntries(reader, span);
    return { lines: entries.slice(-PREVIEW_ROWS).map(FORMATS[format].entry) };
  },
});
