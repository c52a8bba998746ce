import { and, asc, desc, eq, gt, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { paginate, readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { archiveObjects, archiveRestorations, archiveRestoredEntries } from "@/db/schema/index";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { conditionsOf } from "@/server/audit/query/conditions";
import { allOf, ENTRY, withNames } from "@/server/audit/query/rows";
import { record } from "@/server/audit/record/record";
import { oneOrganization } from "@/server/evidence/integrity/integrity";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { enqueue, type JobKind } from "@/server/ground/jobs";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inScope } from "@/server/ground/scope";
import { DAY_MS } from "@/server/ground/time/durations";
import { inPart } from "./objects";
import { keepCheck, type ObjectRow, readArchived } from "./read";
import {
  MAX_RESTORED_ROWS,
  type Restoration,
  type RestoreInput,
  restoration,
  restorationPage,
  restorationsInput,
  restoredInput,
  restoredPage,
  restoreInput,
} from "./schema";

const MAX_PER_ORGANIZATION = 10;
const MAX_ATTEMPTS = 5;
const ROWS_AT_ONCE = 1_000;
const t = archiveRestorations;
type Row = typeof t.$inferSelect;

const toRestoration = ({ firstSeq: first, lastSeq: last, ...row }: Row): Restoration =>
  answerOf(restoration, { ...row, first, last });

/** Fewest objects that cover a range, in order: several archives may hold the same entries. */
async function objectsFor(tx: Tx, orgId: string, input: Parameters<typeof inPart>[0]): Promise<ObjectRow[]> {
  const o = archiveObjects;
  const where = and(eq(o.orgId, orgId), inPart(input));
  const rows = await tx.select().from(o).where(where).orderBy(asc(o.firstSeq), desc(o.lastSeq));
  let through = 0;
  return rows.filter(({ lastSeq }) => {
    const isNew = lastSeq > through;
    through = Math.max(through, lastSeq);
    return isNew;
  });
}

/** Sequences of a request, within the archive. @throws AppError validation_failed, conflict */
function rangeOf(objects: readonly ObjectRow[], { fromSeq, toSeq }: RestoreInput): { first: number; last: number } {
  const [start, end] = [objects[0], objects.at(-1)];
  if (!start || !end) throw invalid(fromSeq === undefined ? "from" : "fromSeq", "names entries that no archive holds");
  const [first, last] = [Math.max(fromSeq ?? 0, start.firstSeq), Math.min(toSeq ?? end.lastSeq, end.lastSeq)];
  const hole = objects.find((object, i) => i > 0 && object.firstSeq > (objects[i - 1]?.lastSeq ?? 0) + 1);
  if (hole) throw new AppError("conflict", `The archive does not hold the entries right before ${hole.firstSeq}.`);
  if (last - first >= MAX_RESTORED_ROWS)
    throw invalid(toSeq === undefined ? "to" : "toSeq", `may be at most ${MAX_RESTORED_ROWS} entries after the first`);
  return { first, last };
}

/** Starts a restoration and schedules its end. @throws AppError validation_failed, conflict */
export async function beginRestoration(ctx: Ctx, input: RestoreInput, { isQueued }: { isQueued: boolean }) {
  const orgId = oneOrganization(ctx, input.orgId);
  const expiresAt = new Date(ctx.now().getTime() + DAY_MS);
  const row = await tenant(ctx.scope, async (tx) => {
    const { first, last } = rangeOf(await objectsFor(tx, orgId, input), input);
    const bound = { max: MAX_PER_ORGANIZATION, owner: orgId, what: "restored ranges" };
    await requireQuota(tx, { table: t, where: eq(t.orgId, orgId), remedy: "Each ends after a day.", ...bound });
    const row = oneOf(await tx.insert(t).values({ orgId, firstSeq: first, lastSeq: last, expiresAt }).returning());
    if (isQueued) await enqueue(tx, restoreJob, { data: { id: row.id }, key: row.id });
    await enqueue(tx, restorationEnd, { data: { id: row.id }, key: row.id, at: expiresAt });
    return row;
  });
  const details = { restorationId: row.id, first: row.firstSeq, last: row.lastSeq, expiresAt: expiresAt.toISOString() };
  record(ctx, {
    ...{ action: "archive.restore", orgId, resourceType: "archive_object", resourceName: "Archived entries" },
    details,
  });
  return row;
}

/** Stores entries as bundle lines in the table beside the log. */
async function storeLines({ id }: Row, lines: readonly string[]): Promise<void> {
  for (let at = 0; at < lines.length; at += ROWS_AT_ONCE) {
    const json = `[${lines.slice(at, at + ROWS_AT_ONCE).join(",")}]`;
    await asSystem((tx) =>
      tx.execute(sql`
        INSERT INTO archive_restored_entries
        SELECT ${id}::uuid, r."orgId", r."chainSeq", r.id,
          timestamptz 'epoch' + r."timestampMs" * interval '1 millisecond', r."actorType", r."actorId", r."actorEmail",
          r.action, r."resourceType", r."resourceId", r."resourceName", r.details::jsonb, r."ipAddress", r."userAgent",
          r.result, r."errorMessage", r.checksum, r."prevChecksum"
        FROM json_to_recordset(${json}::text::json) AS r("orgId" uuid, "chainSeq" bigint, id uuid, "timestampMs" bigint,
          "actorType" text, "actorId" uuid, "actorEmail" text, action text, "resourceType" text, "resourceId" uuid,
          "resourceName" text, details text, "ipAddress" text, "userAgent" text, result text, "errorMessage" text,
          checksum text, "prevChecksum" text)
        ON CONFLICT DO NOTHING`),
    );
  }
}

const end = (id: string, change: Partial<Row>) =>
  asSystem(async (tx) => {
    if (change.state === "failed")
      await tx.delete(archiveRestoredEntries).where(eq(archiveRestoredEntries.restorationId, id));
    await tx.update(t).set(change).where(eq(t.id, id));
  });

/** Reads the objects of a range, each fully checked before any entry is stored. @returns the first fault */
async function readInto(row: Row, signal: AbortSignal): Promise<string | null> {
  const { orgId, firstSeq, lastSeq } = row;
  const objects = await asSystem((tx) => objectsFor(tx, orgId, { fromSeq: firstSeq, toSeq: lastSeq }));
  for (const object of objects) {
    const read = await readArchived(object, signal);
    await keepCheck(object, read.fault, new Date());
    if (read.fault !== null) return `${object.key}: ${read.fault}`;
    const wanted = [...read.lines].filter(([seq]) => seq >= firstSeq && seq <= lastSeq);
    await storeLines(
      row,
      wanted.map(([, line]) => line),
    );
    signal.throwIfAborted();
  }
  return null;
}

/**
 * Restores a started range. A damaged object ends it without any entry.
 * @throws AppError unavailable, conflict where the store cannot be read
 */
export async function restore(id: string, signal: AbortSignal): Promise<Row | null> {
  const find = () => asSystem(async (tx) => (await tx.select().from(t).where(eq(t.id, id)))[0] ?? null);
  const row = await find();
  if (row?.state !== "running") return row;
  const error = await readInto(row, signal);
  const rows = row.lastSeq - row.firstSeq + 1;
  await end(id, error === null ? { state: "ready", rows } : { state: "failed", error });
  return find();
}

export const restoreJob: JobKind<{ id: string }> = {
  name: "archive-restore",
  atOnce: 1,
  maxAttempts: MAX_ATTEMPTS,
  async run({ id }, { signal, attempt }) {
    try {
      await restore(id, signal);
    } catch (error) {
      if (!(error instanceof AppError) || attempt < MAX_ATTEMPTS) throw error;
      await end(id, { state: "failed", error: error.message });
    }
  },
};

/** Removes a restored range after its day. */
export const restorationEnd: JobKind<{ id: string }> = {
  name: "archive-restoration-end",
  atOnce: 1,
  run: async ({ id }) => void (await asSystem((tx) => tx.delete(t).where(eq(t.id, id)))),
};

/**
 * Restores a range of archived entries for a day, separate from the log, in the background. A time range restores whole
 * objects.
 * @throws AppError validation_failed for a range that no archive has or that is too large, conflict for too many
 */
export const restoreArchive = operation({
  permission: "streams:manage",
  input: restoreInput,
  output: restoration,
  stepUp: () => true,
  run: async (ctx, input) => toRestoration(await beginRestoration(ctx, input, { isQueued: true })),
});

const isKept = (ctx: Ctx) => and(inScope(t.orgId, ctx.scope), gt(t.expiresAt, ctx.now()));

/** Currently restored ranges, newest first. */
export const listRestorations = operation({
  permission: "audit:read",
  input: restorationsInput,
  output: restorationPage,
  run(ctx, input) {
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select().from(t).orderBy(desc(t.createdAt), t.id).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where: isKept(ctx) });
      return { data: rows.map(toRestoration), pagination };
    });
  },
});

/** Entries of a restored range, newest first; q: a text in any of the searched fields. @throws AppError not_found */
export const listRestored = operation({
  permission: "audit:read",
  input: restoredInput,
  output: restoredPage,
  run(ctx, { id, q, page, limit }) {
    return tenant(ctx.scope, async (tx) => {
      const [row] = await tx
        .select()
        .from(t)
        .where(and(isKept(ctx), eq(t.id, id)));
      if (!row) throw notFound("restored range");
      const phrase = conditionsOf({ phrase: q });
      const where = allOf([sql`a.restoration_id = ${id}`, ...phrase]);
      const from = sql`FROM archive_restored_entries a WHERE ${where}`;
      const [counted] = await tx.execute<{ total: number }>(sql`SELECT count(*)::int AS total ${from}`);
      const rows = await withNames(
        tx,
        sql`SELECT ${ENTRY.columns} ${from} ORDER BY a."timestamp" DESC, a.chain_seq DESC
          LIMIT ${limit} OFFSET ${(page - 1) * limit}`,
        ENTRY,
      );
      const pagination = paginate({ page, limit }, counted?.total ?? 0);
      return { restoration: toRestoration(row), data: rows.map(toFullEntry), pagination };
    });
  },
});
