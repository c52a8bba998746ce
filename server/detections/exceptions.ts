import { and, asc, desc, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { detectionExceptions, detectionRules } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/ground/context";
import { invalid, notFound } from "@/server/ground/errors";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inReach, narrow } from "@/server/ground/scope";
import { onlyIdInput } from "@/server/ground/wire";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { exceptionOf } from "./evaluate/compiled";
import type { RuleRow } from "./evaluate/store";
import { aboutRule, actorName } from "./rules";
import { createExceptionInput, exception, exceptionListInput, exceptionPage } from "./schema";

const t = detectionExceptions;
const MAX_PER_RULE = 100;

async function ruleOf(tx: Tx, ctx: Ctx, id: string): Promise<RuleRow> {
  const where = and(inReach(detectionRules, ctx.scope), eq(detectionRules.id, id));
  const [row] = await tx.select().from(detectionRules).where(where);
  if (!row) throw notFound("rule");
  return row;
}

/** Exceptions in the caller's reach, newest first. */
export const listExceptions = operation({
  permission: "detections:read",
  input: exceptionListInput,
  output: exceptionPage,
  run: (ctx, input) =>
    tenant(ctx.scope, async (tx) => {
      const { ruleId } = input;
      const where = and(inReach(t, ctx.scope), ruleId ? eq(t.ruleId, ruleId) : undefined);
      const query = tx.select().from(t).orderBy(desc(t.createdAt), asc(t.id)).$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: rows.map((row) => answerOf(exception, row)), pagination };
    }),
});

/**
 * Adds an exception to a rule: entries whose fields all match, or all of an organization.
 * @throws AppError not_found, validation_failed, forbidden, conflict when there are too many
 */
export const createException = operation({
  permission: "detections:manage",
  input: createExceptionInput,
  output: exception,
  async run(ctx, input) {
    const { ruleId, fields, reason, expiresAt = null } = input;
    try {
      exceptionOf(fields);
    } catch (error) {
      throw invalid("fields", error instanceof Error ? error.message.replace(/^yaml: /, "") : "is not valid");
    }
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const rule = await ruleOf(tx, ctx, ruleId);
      const orgId = input.orgId ?? rule.orgId;
      if (orgId) narrow(ctx, orgId);
      else await requireWholePartner(tx, ctx);
      if (!input.orgId && Object.keys(fields).length === 0)
        throw invalid("fields", "must name a field, or orgId an organization");
      await requireQuota(tx, {
        table: t,
        where: eq(t.ruleId, ruleId),
        max: MAX_PER_RULE,
        owner: ruleId,
        what: "exceptions",
      });
      const values = { partnerId: rule.partnerId, orgId, ruleId, fields, reason, expiresAt };
      const created = await tx
        .insert(t)
        .values({ ...values, createdByName: actorName(ctx) })
        .returning();
      const about = await aboutRule(tx, rule);
      return { row: oneOf(created), about: { ...about, orgId: orgId ?? about.orgId } };
    });
    record(ctx, { ...about, action: "detection.exception.create", details: { after: answerOf(exception, row) } });
    return answerOf(exception, row);
  },
});

/** @throws AppError not_found, forbidden */
export const removeException = operation({
  permission: "detections:manage",
  input: onlyIdInput,
  output: "empty",
  async run(ctx, { id }) {
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const [row] = await tx
        .select()
        .from(t)
        .where(and(inReach(t, ctx.scope), eq(t.id, id)))
        .for("update");
      if (!row) throw notFound("exception");
      if (row.orgId === null) await requireWholePartner(tx, ctx);
      const rule = await tx.select().from(detectionRules).where(eq(detectionRules.id, row.ruleId));
      const about = await aboutRule(tx, oneOf(rule));
      await tx.delete(t).where(eq(t.id, id));
      return { row, about: { ...about, orgId: row.orgId ?? about.orgId } };
    });
    record(ctx, { ...about, action: "detection.exception.delete", details: { before: answerOf(exception, row) } });
  },
});
