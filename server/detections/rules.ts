import { and, asc, desc, eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { detectionPositions, detectionRules } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { ownedResource } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, notFound } from "@/server/ground/errors";
import { requireQuota } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { ownerFor } from "@/server/ground/partner";
import { answerOf } from "@/server/ground/records";
import { inReach, ofOwner } from "@/server/ground/scope";
import { requireMatch } from "@/server/ground/version";
import { onlyIdInput } from "@/server/ground/wire";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { compiledRule } from "./evaluate/compiled";
import { startPositions, stopPositions } from "./evaluate/run";
import type { RuleRow } from "./evaluate/store";
import { yamlOf } from "./rule/from-filter";
import { parseRule } from "./rule/parse";
import {
  createRuleInput,
  type DetectionRule,
  draft,
  draftInput,
  rule,
  ruleListInput,
  rulePage,
  updateRuleInput,
} from "./schema";
import { MAX_RULES_PER_OWNER } from "./vocabulary";

const t = detectionRules;
const p = detectionPositions;

/** Row-level security limits this to the caller's organizations. */
const cappedAt = sql<string | null>`(SELECT max(${p.cappedAt}) FROM ${p} WHERE ${p.ruleId} = ${t.id})`;

function toRule(row: RuleRow, capped: string | null = null): DetectionRule {
  const { description, level, title } = compiledRule(row);
  return answerOf(rule, { ...row, title, description, level, cappedAt: capped && new Date(capped) });
}

/** A rule without the results of its evaluation. */
const settingsOf = ({ cappedAt: _, ...settings }: DetectionRule) => settings;

export const actorName = ({ actor }: Ctx): string =>
  actor.type === "user" || actor.type === "api_key" ? actor.name : "System";

/** Organization and name of a rule for the audit log. */
export const aboutRule = (tx: Tx, rule: RuleRow) => ownedResource(tx, "detection_rule", { ...rule, name: rule.title });

const auditable = ({ title, enabled, digest, dedupeSeconds, snoozedUntil, yaml }: RuleRow) => ({
  ...{ title, enabled, digest, dedupeSeconds, snoozedUntil: snoozedUntil?.toISOString() ?? null, yaml },
});

/** The caller's rules, including built-in ones, newest first. */
export const listRules = operation({
  permission: "detections:read",
  input: ruleListInput,
  output: rulePage,
  run: (ctx, input) =>
    tenant(ctx.scope, async (tx) => {
      const where = inReach(t, ctx.scope);
      const query = tx
        .select({ row: t, cappedAt })
        .from(t)
        .orderBy(desc(t.createdAt), asc(t.title), asc(t.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: rows.map(({ row, cappedAt: at }) => toRule(row, at)), pagination };
    }),
});

/** @throws AppError not_found */
export const getRule = operation({
  permission: "detections:read",
  input: onlyIdInput,
  output: rule,
  version: settingsOf,
  run: (ctx, { id }) =>
    tenant(ctx.scope, async (tx) => {
      const where = and(inReach(t, ctx.scope), eq(t.id, id));
      const [found] = await tx.select({ row: t, cappedAt }).from(t).where(where);
      if (!found) throw notFound("rule");
      return toRule(found.row, found.cappedAt);
    }),
});

/**
 * A rule that the caller may change, locked for this transaction.
 * @throws AppError not_found, forbidden for a partner's and a caller who reaches less
 */
async function lockRule(tx: Tx, ctx: Ctx, id: string): Promise<RuleRow> {
  const where = and(inReach(t, ctx.scope), eq(t.id, id));
  const [row] = await tx.select().from(t).where(where).for("update");
  if (!row) throw notFound("rule");
  if (row.orgId === null) await requireWholePartner(tx, ctx);
  requireMatch(ctx, settingsOf(toRule(row)));
  return row;
}

/** Text of a rule for a list's filter, optionally with a threshold. */
export const draftRule = operation({
  permission: "detections:read",
  input: draftInput,
  output: draft,
  run: async (_, input) => ({ yaml: yamlOf(input) }),
});

/**
 * Adds a rule, starting with the next entry.
 * @throws AppError validation_failed naming the unsupported part of the text, conflict when there are too many,
 * forbidden
 */
export const createRule = operation({
  permission: "detections:manage",
  input: createRuleInput,
  output: rule,
  async run(ctx, input) {
    const { title, level, digest } = parseRule(input.yaml);
    const owner = await ownerFor(ctx, input);
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      if (!owner.orgId) await requireWholePartner(tx, ctx);
      const bound = { max: MAX_RULES_PER_OWNER, owner: owner.orgId ?? owner.partnerId, what: "rules" };
      await requireQuota(tx, { table: t, where: ofOwner(t, owner), ...bound });
      const { yaml, enabled, dedupeSeconds } = input;
      const created = await tx
        .insert(t)
        .values({ ...owner, title, level, digest, yaml, enabled, dedupeSeconds, createdByName: actorName(ctx) })
        .returning();
      const row = oneOf(created);
      if (enabled) await startPositions(tx, row);
      return { row, about: await aboutRule(tx, row) };
    });
    record(ctx, { ...about, action: "detection.rule.create", details: { after: auditable(row) } });
    return toRule(row);
  },
});

/**
 * Changes a rule, turns it on or off, or snoozes it. A changed text restarts it at the next entry.
 * @throws AppError not_found, forbidden, validation_failed, conflict for the text of a shipped rule
 */
export const updateRule = operation({
  permission: "detections:manage",
  input: updateRuleInput,
  output: rule,
  version: settingsOf,
  async run(ctx, { id, ...input }) {
    const parsed = input.yaml === undefined ? null : parseRule(input.yaml);
    const { before, after, about } = await tenant(ctx.scope, async (tx) => {
      const before = await lockRule(tx, ctx, id);
      if (parsed && before.shipped && parsed.digest !== before.digest)
        throw new AppError(
          "conflict",
          "The text of a shipped rule cannot be changed: create a rule from it and turn it off.",
        );
      const text = parsed && { title: parsed.title, level: parsed.level, digest: parsed.digest };
      const set = { ...input, ...text, updatedAt: ctx.now() };
      const after = oneOf(await tx.update(t).set(set).where(eq(t.id, id)).returning());
      if (after.digest !== before.digest || after.enabled !== before.enabled) {
        await stopPositions(tx, id);
        if (after.enabled) await startPositions(tx, after);
      }
      return { before, after, about: await aboutRule(tx, after) };
    });
    const details = { before: auditable(before), after: auditable(after) };
    if (JSON.stringify(details.before) !== JSON.stringify(details.after))
      record(ctx, { ...about, action: "detection.rule.update", details });
    return toRule(after);
  },
});

/**
 * Deletes a rule; its alerts stay.
 * @throws AppError not_found, forbidden, conflict for a shipped rule
 */
export const removeRule = operation({
  permission: "detections:manage",
  input: onlyIdInput,
  output: "empty",
  version: () => null,
  async run(ctx, { id }) {
    const { row, about } = await tenant(ctx.scope, async (tx) => {
      const found = await lockRule(tx, ctx, id);
      if (found.shipped) throw new AppError("conflict", "A shipped rule cannot be deleted: turn it off.");
      const about = await aboutRule(tx, found);
      await tx.delete(t).where(eq(t.id, id));
      return { row: found, about };
    });
    record(ctx, { ...about, action: "detection.rule.delete", details: { before: auditable(row) } });
  },
});
