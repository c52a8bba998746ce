import { eq, inArray, sql } from "drizzle-orm";
import { asSystem, type Tx, tenant } from "@/db/client";
import { oneOf } from "@/db/rows";
import { auditExports, organizations } from "@/db/schema";
import { isEverything, requireProofForMany } from "@/server/audit/entries/export";
import { FORMATS } from "@/server/audit/export-formats";
import { exportName } from "@/server/audit/export-name";
import { reachedBy } from "@/server/audit/query/rows";
import { tooMany } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { enqueue } from "@/server/ground/jobs";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { narrow, ownOrg, ownPartner } from "@/server/ground/scope";
import { noInput, onlyIdInput } from "@/server/ground/wire";
import { dropExport } from "./drop";
import { creatorOf, myExport, myExports } from "./export-job";
import { exportWork } from "./run";
import { createInput, exportJob, exportJobs, KEEP_MS, MAX_KEPT, MAX_UNFINISHED } from "./schema";

const t = auditExports;
const RETRY_AFTER_SECONDS = 30;

/** @throws AppError rate_limited at the creator's limit; serialized, so that none slips by. */
async function refuseTooMany(tx: Tx, creator: string): Promise<void> {
  await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${`audit export ${creator}`}, 0))`);
  const rows = await tx.select({ status: t.status }).from(t).where(eq(t.createdBy, creator));
  const unfinished = rows.filter(({ status }) => status === "waiting" || status === "running");
  const refuse = (message: string, limit: number) => tooMany(message, { limit, seconds: RETRY_AFTER_SECONDS });
  const underWay = `You have ${unfinished.length} exports under way, which is the limit. Wait until one has ended.`;
  if (unfinished.length >= MAX_UNFINISHED) throw refuse(underWay, MAX_UNFINISHED);
  const kept = `You have ${rows.length} exports, which is the limit. Delete one that you no longer need.`;
  if (rows.length >= MAX_KEPT) throw refuse(kept, MAX_KEPT);
}

async function nameOf(tx: Tx, orgIds: readonly string[]): Promise<string> {
  if (orgIds.length !== 1) return `${orgIds.length} organizations`;
  const [org] = await tx
    .select({ name: organizations.name })
    .from(organizations)
    .where(inArray(organizations.id, [...orgIds]));
  return org?.name ?? "";
}

/**
 * Requests a background export of every match.
 * @throws AppError rate_limited where the caller has too many; forbidden for an organization out of reach;
 * step_up_required
 */
export const createExport = operation({
  permission: "audit:export",
  input: createInput,
  output: exportJob,
  stepUp: isEverything,
  async run(caller, input) {
    const { orgId, ...filters } = input.filters ?? {};
    const creator = creatorOf(caller);
    const ctx = narrow(caller, orgId);
    const now = ctx.now();
    const filter = { ...filters, ...input.dateRange };
    await requireProofForMany(ctx, filter);
    const { orgIds, organization } = await tenant(ctx.scope, async (tx) => {
      const reached = await reachedBy(tx, ctx.scope);
      return { orgIds: [...reached], organization: await nameOf(tx, reached) };
    });
    const row = await asSystem(async (tx) => {
      await refuseTooMany(tx, creator.id);
      const created = await tx
        .insert(t)
        .values({
          id: newId(),
          orgId: ownOrg(ctx.scope),
          partnerId: ownPartner(ctx.scope),
          orgIds,
          createdBy: creator.id,
          createdByType: creator.type,
          filter,
          format: input.format,
          gzip: input.gzip,
          fileName: exportName({
            organization,
            ...input.dateRange,
            now,
            zone: input.timeZone,
            ending: `${FORMATS[input.format].ending}${input.gzip ? ".gz" : ""}`,
          }),
          ipAddress: ctx.ip,
          userAgent: ctx.userAgent,
          createdAt: now,
          expiresAt: new Date(now.getTime() + KEEP_MS),
        })
        .returning();
      const row = oneOf(created);
      await enqueue(tx, exportWork, { data: { id: row.id }, key: row.id });
      return row;
    });
    return answerOf(exportJob, row);
  },
});

/** The caller's own exports, newest first. */
export const listExports = operation({
  permission: "audit:export",
  input: noInput,
  output: exportJobs,
  run: async (ctx) => ({ data: (await myExports(ctx)).map((row) => answerOf(exportJob, row)) }),
});

/** One of the caller's own exports, with its progress. @throws AppError not_found for another user's. */
export const getExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: exportJob,
  run: async (ctx, { id }) => answerOf(exportJob, await myExport(ctx, id)),
});

/** Deletes one of the caller's own exports with its file; an unfinished one stops. @throws AppError not_found */
export const removeExport = operation({
  permission: "audit:export",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    await dropExport(await myExport(ctx, id), { ctx, why: "It was cancelled before it was complete" });
  },
});
