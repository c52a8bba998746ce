import { and, asc, desc, eq, sql } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { oneOf } from "@/db/rows";
import { detectionAlerts, organizations, users } from "@/db/schema";
import { toFullEntry } from "@/server/audit/entries/to-entry";
import { ENTRY, newestRows, rowsByKey } from "@/server/audit/query/rows";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { FullEntry } from "@/server/audit/schema";
import { type Ctx, ZERO_UUID } from "@/server/ground/context";
import { invalid, notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { answerOf } from "@/server/ground/records";
import { inScope, requirePermission } from "@/server/ground/scope";
import { DAY_MS } from "@/server/ground/time/durations";
import { onlyIdInput } from "@/server/ground/wire";
import { actorName } from "./rules";
import {
  type Alert,
  alert,
  alertListInput,
  alertPage,
  alertStory,
  type UpdateAlertInput,
  updateAlertInput,
} from "./schema";

const t = detectionAlerts;
type AlertRow = typeof t.$inferSelect;

const MAX_DAY_ROWS = 50;

const toAlert = ({ groupKey: group, ...row }: AlertRow, organization: string): Alert =>
  answerOf(alert, { ...row, organization, group });

/** Alerts of the caller's organizations, newest first. */
export const listAlerts = operation({
  permission: "detections:read",
  input: alertListInput,
  output: alertPage,
  run: (ctx, input) =>
    tenant(ctx.scope, async (tx) => {
      const { state, ruleId } = input;
      const where = and(
        inScope(t.orgId, ctx.scope),
        state && eq(t.state, state),
        ruleId ? eq(t.ruleId, ruleId) : undefined,
      );
      const query = tx
        .select({ row: t, organization: organizations.name })
        .from(t)
        .innerJoin(organizations, eq(organizations.id, t.orgId))
        .orderBy(desc(t.raisedAt), asc(t.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: t, query, where });
      return { data: rows.map(({ row, organization }) => toAlert(row, organization)), pagination };
    }),
});

async function findAlert(tx: Tx, ctx: Ctx, id: string): Promise<{ row: AlertRow; organization: string }> {
  const [found] = await tx
    .select({ row: t, organization: organizations.name })
    .from(t)
    .innerJoin(organizations, eq(organizations.id, t.orgId))
    .where(and(inScope(t.orgId, ctx.scope), eq(t.id, id)))
    .for("update", { of: t });
  if (!found) throw notFound("alert");
  return found;
}

async function dayOf(tx: Tx, { orgId, actorId, lastAt }: AlertRow): Promise<FullEntry[]> {
  if (actorId === ZERO_UUID) return [];
  const from = new Date(lastAt.getTime() - DAY_MS).toISOString();
  const conditions = [
    sql`a.actor_id = ${actorId}::uuid`,
    sql`a."timestamp" BETWEEN ${from}::timestamptz AND ${lastAt.toISOString()}::timestamptz`,
    sql`a.chain_seq IS NOT NULL`,
  ];
  const rows = await newestRows(tx, { orgIds: [orgId], conditions, limit: MAX_DAY_ROWS, shape: ENTRY });
  return rows.map(toFullEntry);
}

/** An alert with its entries and its actor's last day. @throws AppError not_found */
export const getAlert = operation({
  permission: "detections:read",
  input: onlyIdInput,
  output: alertStory,
  async run(ctx, { id }) {
    requirePermission(ctx, "audit:read");
    return tenant(ctx.scope, async (tx) => {
      const { row, organization } = await findAlert(tx, ctx, id);
      const keys = row.entries.map((seq) => ({ orgId: row.orgId, seq: String(seq) }));
      const story = (await rowsByKey(tx, keys, ENTRY)).map(toFullEntry);
      const actorsDay = await dayOf(tx, row);
      return { ...toAlert(row, organization), story: story.reverse(), actorsDay: actorsDay.reverse() };
    });
  },
});

type Change = Partial<Pick<AlertRow, "state" | "reason" | "note" | "assigneeId" | "assigneeName">>;

/** @throws AppError validation_failed for an assignee unknown to the caller */
async function changeOf(tx: Tx, { state, reason, note, assigneeId }: UpdateAlertInput): Promise<Change> {
  const change: Change = {
    ...(state && { state, reason: reason ?? null }),
    ...(note !== undefined && { note: note || null }),
  };
  if (assigneeId === undefined) return change;
  if (assigneeId === null) return { ...change, assigneeId: null, assigneeName: null };
  const [person] = await tx.select({ name: users.name }).from(users).where(eq(users.id, assigneeId));
  if (!person) throw invalid("assigneeId", "is no user");
  return { ...change, assigneeId, assigneeName: person.name };
}

const auditable = ({ state, reason, note, assigneeId, assigneeName }: AlertRow) => ({
  ...{ state, reason, note, assigneeId, assigneeName },
});

/**
 * Acknowledges, closes, reopens or assigns an alert. While it is acknowledged, further matches join it.
 * @throws AppError not_found, validation_failed
 */
export const updateAlert = operation({
  permission: "detections:respond",
  input: updateAlertInput,
  output: alert,
  async run(ctx, input) {
    const { before, after, organization } = await tenant(ctx.scope, async (tx) => {
      const { row, organization } = await findAlert(tx, ctx, input.id);
      const set = { ...(await changeOf(tx, input)), changedByName: actorName(ctx), changedAt: ctx.now() };
      const after = oneOf(await tx.update(t).set(set).where(eq(t.id, input.id)).returning());
      return { before: row, after, organization };
    });
    const details = { before: auditable(before), after: auditable(after) };
    if (JSON.stringify(details.before) !== JSON.stringify(details.after))
      record(ctx, {
        orgId: after.orgId,
        ...resourceOf("detection_alert", { id: after.id, name: after.title }),
        action: "detection.alert.update",
        details,
      });
    return toAlert(after, organization);
  },
});
