import { and, eq, gt, inArray, isNull, or, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { detectionExceptions, detectionPositions, detectionRules, organizations } from "@/db/schema";
import type { FullEntry } from "@/server/audit/schema";
import { withFirstSeen } from "@/server/audit/search/first-seen";
import { readSpans } from "@/server/audit/tail/position";
import { readHeads } from "@/server/audit/tail/watch";
import { systemCtx } from "@/server/ground/context";
import { enqueue } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { groupBy } from "@/server/ground/records";
import { notificationJob } from "@/server/notify/notifications/send-messages";
import { compiledRule, exceptionOf } from "./compiled";
import { Evaluation } from "./engine";
import { recordAlerts } from "./record-alerts";
import { loadGroups, type Place, type RuleRow, saveFindings, saveGroups, savePosition } from "./store";

const STEP_ROWS = 1_000;

const p = detectionPositions;
const r = detectionRules;
const x = detectionExceptions;

type Position = { row: RuleRow; throughSeq: number; newestAt: Date | null };

const positionsOf = (tx: Tx, orgId: string): Promise<Position[]> =>
  tx
    .select({ row: r, throughSeq: p.throughSeq, newestAt: p.newestAt })
    .from(p)
    .innerJoin(r, eq(r.id, p.ruleId))
    .where(eq(p.orgId, orgId));

/** Rules with the exceptions currently valid in an organization. */
async function placesOf(tx: Tx, { rows, orgId }: { rows: RuleRow[]; orgId: string }, now: Date): Promise<Place[]> {
  const exceptions = await tx
    .select()
    .from(x)
    .where(
      and(
        inArray(x.ruleId, rows.map(({ id }) => id)), // biome-ignore format: one condition a line
        or(isNull(x.orgId), eq(x.orgId, orgId)),
        or(isNull(x.expiresAt), gt(x.expiresAt, now)),
      ),
    );
  const byRule = groupBy(exceptions, ({ ruleId }) => ruleId);
  return rows.flatMap((row) => {
    try {
      const own = (byRule.get(row.id) ?? []).map(({ fields }) => exceptionOf(fields));
      const dedupeMs = 1_000 * row.dedupeSeconds;
      const of = { ruleId: row.id, orgId, rule: compiledRule(row), dedupeMs, exceptions: own };
      return [{ row, orgId, evaluation: new Evaluation(of) }];
    } catch (error) {
      log.error({ err: error, rule: row.id }, "a rule cannot be read and is passed over");
      return [];
    }
  });
}

/** Actions that all of some rules are limited to; undefined if any needs all. */
function actionsOf(places: readonly Place[]): string[] | undefined {
  const sets = places.map(({ evaluation }) => evaluation.actions);
  return sets.some((set) => set === null) ? undefined : [...new Set(sets.flatMap((set) => [...(set ?? [])]))];
}

type Step = { orgId: string; after: number; through: number; positions: Position[] };

/** Rules furthest behind, up to the position of the next ones. */
async function nextStep(tx: Tx, orgId: string): Promise<Step | null> {
  const [head] = await readHeads(tx, [orgId]);
  const positions = await positionsOf(tx, orgId);
  const after = Math.min(...positions.map(({ throughSeq }) => throughSeq));
  if (!head || positions.length === 0 || after >= head.seq) return null;
  if (head.prunedThrough > after)
    log.warn({ orgId, after, through: head.prunedThrough }, "entries were pruned before rules had read them");
  const others = positions.flatMap(({ throughSeq }) => (throughSeq > after ? [throughSeq] : []));
  const through = Math.min(head.seq, Math.max(after, head.prunedThrough) + STEP_ROWS, ...others);
  return { orgId, after, through, positions: positions.filter(({ throughSeq }) => throughSeq === after) };
}

type Touched = Place & { concerned: FullEntry[] };
type Read = Step & { touched: Touched[]; now: Date };

/** Evaluates one rule over a step's entries; state, alerts and position are stored in one transaction. */
async function evaluatePlace(tx: Tx, place: Touched, { positions, through, now }: Read): Promise<number> {
  const { row, evaluation, concerned } = place;
  const groups = await loadGroups(tx, place, [...new Set(concerned.flatMap((entry) => evaluation.digestsOf(entry)))]);
  const known = positions.find((one) => one.row.id === row.id);
  let newestMs = known?.newestAt?.getTime() ?? 0;
  const findings = [];
  for (const entry of concerned) {
    const finding = evaluation.take(entry, groups, newestMs);
    if (finding) findings.push(finding);
    newestMs = Math.max(newestMs, Date.parse(entry.timestamp));
  }
  const raised = await saveFindings(tx, place, { findings, now });
  const isCapped = await saveGroups(tx, place, { groups, throughSeq: through, now });
  await savePosition(tx, place, { throughSeq: through, newestMs, ...(isCapped && { cappedAt: now }) });
  return raised;
}

async function evaluateStep(tx: Tx, step: Read): Promise<void> {
  const { orgId, after, through, positions } = step;
  const ids = positions.map(({ row }) => row.id);
  // Another process may have advanced it, or a person changed or disabled the rule.
  const locked = await tx
    .select({ id: p.ruleId })
    .from(p)
    .where(and(eq(p.orgId, orgId), inArray(p.ruleId, ids), eq(p.throughSeq, after)))
    .orderBy(p.ruleId)
    .for("update");
  const mine = new Set(locked.map(({ id }) => id));
  let raised = 0;
  for (const place of step.touched) if (mine.has(place.row.id)) raised += await evaluatePlace(tx, place, step);
  await tx
    .update(p)
    .set({ throughSeq: through })
    .where(and(eq(p.orgId, orgId), inArray(p.ruleId, [...mine]), eq(p.throughSeq, after)));
  if (raised > 0) await enqueue(tx, notificationJob, { key: "now", data: {} });
}

/**
 * Evaluates an organization's rules up to its chain's head. After a crash the next run continues after the last
 * transaction.
 */
export async function evaluateOrganization(
  orgId: string,
  { signal, now = () => new Date() }: { signal?: AbortSignal; now?: () => Date } = {},
): Promise<void> {
  while (!signal?.aborted) {
    const at = now();
    const next = await asSystem(async (tx) => {
      const step = await nextStep(tx, orgId);
      return step && { ...step, places: await placesOf(tx, { rows: step.positions.map(({ row }) => row), orgId }, at) };
    });
    if (!next) break;
    const { after, through } = next;
    const actions = actionsOf(next.places);
    const read = actions?.length === 0 ? [] : await readSpans(systemCtx(), { actions }, [{ orgId, after, through }]);
    const readsFirstSeen = next.places.some(({ evaluation }) => evaluation.readsFirstSeen);
    const entries = readsFirstSeen ? await asSystem((tx) => withFirstSeen(tx, read)) : read;
    const touched = next.places
      .map((place) => ({ ...place, concerned: entries.filter((entry) => place.evaluation.concerns(entry)) }))
      .filter(({ concerned }) => concerned.length > 0);
    await asSystem((tx) => evaluateStep(tx, { ...next, touched, now: at }));
  }
  await recordAlerts([orgId]);
}

/** Organizations in which a rule is behind the head. */
export async function organizationsBehind(tx: Tx): Promise<string[]> {
  const rows = await rowsOf<{ orgId: string; after: number }>(
    tx,
    sql`SELECT org_id AS "orgId", min(through_seq)::float8 AS after FROM ${p} GROUP BY 1`,
  );
  const after = new Map(rows.map((row) => [row.orgId, row.after]));
  const heads = await readHeads(tx, [...after.keys()]);
  return heads.flatMap(({ orgId, seq }) => (seq > (after.get(orgId) ?? seq) ? [orgId] : []));
}

type Reach = Pick<RuleRow, "id" | "orgId" | "partnerId">;

/** Starts a rule at the next entry of each of its organizations. */
export async function startPositions(tx: Tx, { id, orgId, partnerId }: Reach): Promise<void> {
  const where = and(eq(organizations.partnerId, partnerId), orgId ? eq(organizations.id, orgId) : undefined);
  const orgs = await tx.select({ id: organizations.id }).from(organizations).where(where);
  const heads = new Map((await readHeads(tx, orgs.map((org) => org.id))).map((head) => [head.orgId, head.seq])); // biome-ignore format: one statement
  const rows = orgs.map((org) => ({ ruleId: id, orgId: org.id, throughSeq: heads.get(org.id) ?? 0 }));
  if (rows.length > 0) await tx.insert(p).values(rows).onConflictDoNothing();
}

/** An organization without a position is newer than the rule, so all of its entries count. */
export const fillPositions = (tx: Tx) =>
  tx.execute(sql`INSERT INTO ${p} (rule_id, org_id, through_seq)
    SELECT r.id, o.id, 0 FROM ${r} r
    JOIN ${organizations} o ON o.partner_id = r.partner_id AND (r.org_id IS NULL OR r.org_id = o.id)
    WHERE r.enabled AND NOT EXISTS (SELECT FROM ${p} p WHERE p.rule_id = r.id AND p.org_id = o.id)
    ON CONFLICT DO NOTHING`);

/** Deletes state of rules in organizations where they no longer apply. */
export async function stopPositions(tx: Tx, ruleId: string): Promise<void> {
  await tx.delete(p).where(eq(p.ruleId, ruleId));
  await tx.execute(sql`DELETE FROM detection_windows WHERE rule_id = ANY (${uuids([ruleId])})`);
}
