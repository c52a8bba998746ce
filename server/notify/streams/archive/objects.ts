import { and, desc, eq, getTableColumns, gte, lte, type SQL, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { archiveObjects } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { readHeads } from "@/server/audit/tail/watch";
import type { Ctx } from "@/server/ground/context";
import { notFound } from "@/server/ground/errors";
import { limit } from "@/server/ground/limits/windows";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inScope } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import { keepCheck, type ObjectRow, readArchived } from "./read";
import { type ArchiveObject, archiveObject, objectPage, objectsInput } from "./schema";

const READ_MS = 60_000;
const t = archiveObjects;

/** Previous object in a series: none, or one that ends where this one starts. */
const continues = sql<boolean>`coalesce((
  SELECT max(b.last_seq) = archive_objects.first_seq - 1 FROM archive_objects b
  WHERE b.org_id = archive_objects.org_id AND b.stream_id = archive_objects.stream_id
    AND b.first_seq < archive_objects.first_seq), true)`;
const selected = { ...getTableColumns(t), continues };
type Found = ObjectRow & { continues: boolean };

type Part = {
  from?: Date | undefined;
  to?: Date | undefined;
  fromSeq?: number | undefined;
  toSeq?: number | undefined;
};

/** Objects with entries in a range of time or of sequences. */
export const inPart = ({ from, to, fromSeq, toSeq }: Part): SQL | undefined =>
  and(
    from && gte(t.lastAt, from),
    to && lte(t.firstAt, to),
    fromSeq === undefined ? undefined : gte(t.lastSeq, fromSeq),
    toSeq === undefined ? undefined : lte(t.firstSeq, toSeq),
  );

async function toObjects(tx: Tx, rows: readonly Found[]): Promise<ArchiveObject[]> {
  const heads = await readHeads(tx, [...new Set(rows.map(({ orgId }) => orgId))]);
  const pruned = new Map(heads.map(({ orgId, prunedThrough }) => [orgId, prunedThrough]));
  return rows.map(({ firstSeq, lastSeq, firstAt, lastAt, lockMode, lockUntil, ...row }) =>
    answerOf(archiveObject, {
      ...row,
      first: firstSeq,
      last: lastSeq,
      from: firstAt,
      to: lastAt,
      lock: lockMode && lockUntil ? { mode: lockMode, until: lockUntil.toISOString() } : null,
      state: row.fault === null ? "intact" : "damaged",
      inLog: firstSeq > (pruned.get(row.orgId) ?? 0),
    } as const),
  );
}

/** Archived objects of the caller's organizations, newest entries first. */
export const listObjects = operation({
  permission: "audit:read",
  input: objectsInput,
  output: objectPage,
  run(ctx, input) {
    const where = and(inScope(t.orgId, ctx.scope), inPart(input));
    return tenant(ctx.scope, async (tx) => {
      const query = tx.select(selected).from(t).orderBy(desc(t.lastAt), desc(t.firstSeq), t.id).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: await toObjects(tx, rows), pagination };
    });
  },
});

async function findObject(tx: Tx, ctx: Ctx, id: string): Promise<Found> {
  const [row] = await tx
    .select(selected)
    .from(t)
    .where(and(inScope(t.orgId, ctx.scope), eq(t.id, id)));
  if (!row) throw notFound("archive object");
  return row;
}

/**
 * Reads an object and its manifest from the store, and checks each entry.
 * @throws AppError not_found, rate_limited; conflict, unavailable where the store cannot be read
 */
export const verifyObject = operation({
  permission: "streams:manage",
  input: onlyIdInput,
  output: archiveObject,
  waits: true,
  async run(ctx, { id }) {
    await limit("delivery", ctx.homeOrgId);
    const row = await tenant(ctx.scope, (tx) => findObject(tx, ctx, id));
    const { fault } = await readArchived(row, AbortSignal.timeout(READ_MS));
    await keepCheck(row, fault, ctx.now());
    record(ctx, {
      action: "archive.verify",
      orgId: row.orgId,
      resourceType: "archive_object",
      resourceName: row.key,
      result: fault === null ? "success" : "failure",
      ...(fault !== null && { errorMessage: fault }),
      details: { first: row.firstSeq, last: row.lastSeq, digest: row.digest },
    });
    const shown = await tenant(ctx.scope, async (tx) => toObjects(tx, [await findObject(tx, ctx, id)]));
    return oneOf(shown);
  },
});
