import { and, eq, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { notifications, organizations } from "@/db/schema";
import { type Step, stepOf } from "./condition";
import type { Check, Finding } from "./conditions/finding";
import type { Detail } from "./sentences";

/** The evaluations of all processes are one after the other: a process that finds another evaluating does nothing. */
const LOCK = "trailmark notifications";

type OpenRow = typeof notifications.$inferSelect;
/** One evaluation, with the number that what it found carries. */
export type Pass = { tx: Tx; now: Date; number: number };

async function isAlone(tx: Tx): Promise<boolean> {
  const [row] = await rowsOf<{ free: boolean }>(
    tx,
    sql`SELECT pg_try_advisory_xact_lock(hashtextextended(${LOCK}, 0)) AS free`,
  );
  return row?.free ?? false;
}

async function nextNumber(tx: Tx): Promise<number> {
  const [row] = await rowsOf<{ last: number }>(
    tx,
    sql`SELECT greatest(max(raised_in), max(resolved_in), 0)::float8 AS last FROM notifications`,
  );
  return (row?.last ?? 0) + 1;
}

async function begin(
  { tx, now, number }: Pass,
  row: { orgId: string; kind: string; detail: Detail },
  isRaised: boolean,
) {
  const raised = isRaised ? { raisedAt: now, raisedIn: number } : {};
  await tx.insert(notifications).values({ ...row, since: now, observedAt: now, ...raised });
}

type Move = { step: Step; detail: Detail };

/** Writes what becomes of an open row. */
async function move({ tx, now, number }: Pass, row: OpenRow, { step, detail }: Move): Promise<void> {
  const where = eq(notifications.id, row.id);
  if (step.do === "forget") await tx.delete(notifications).where(where);
  else if (step.do === "wait")
    await tx.update(notifications).set({ since: step.since, observedAt: now, detail }).where(where);
  else if (step.do === "raise")
    await tx
      .update(notifications)
      .set({ since: step.since, observedAt: now, detail, raisedAt: now, raisedIn: number })
      .where(where);
  else if (step.do === "resolve")
    await tx.update(notifications).set({ resolvedAt: now, resolvedIn: number, resolution: detail }).where(where);
  else if (JSON.stringify(row.detail) !== JSON.stringify(detail))
    await tx.update(notifications).set({ detail }).where(where);
}

/** Takes the rows of one kind to where the finding says they are; organizations that are gone are passed over. */
async function apply(pass: Pass, { kind, checked, found }: Finding, known: ReadonlySet<string>): Promise<void> {
  const { tx, now } = pass;
  const rows = await tx
    .select()
    .from(notifications)
    .where(and(eq(notifications.kind, kind), isNull(notifications.resolvedAt)));
  const open = new Map(rows.map((row) => [row.orgId, row]));
  const byOrg = new Map(found.map((one) => [one.orgId, one]));
  for (const { orgId, holds, detail } of found) {
    const step = holds && !open.has(orgId) && known.has(orgId) ? stepOf(kind, null, { holds, now }) : null;
    if (step?.do === "begin") await begin(pass, { orgId, kind, detail }, step.isRaised);
  }
  for (const row of rows) {
    if (checked !== "all" && !checked.has(row.orgId)) continue;
    const one = byOrg.get(row.orgId);
    const step = stepOf(kind, row, { holds: one?.holds ?? false, now });
    await move(pass, row, { step, detail: one?.detail ?? {} });
  }
}

/** What came of an evaluation: whether it was this process's turn, and why some looks failed. */
type Evaluated = { isDone: boolean; failures: unknown[] };

/**
 * Checks every condition and stores which began and which are over; then, in the same transaction, who is to be
 * notified. One process at a time does so. @param checks one that fails changes nothing of its kinds
 */
export function evaluate(
  checks: readonly Check[],
  now: Date,
  then: (pass: Pass) => Promise<void> = async () => {},
): Promise<Evaluated> {
  return asSystem(async (tx) => {
    if (!(await isAlone(tx))) return { isDone: false, failures: [] };
    const results = await Promise.allSettled(checks.map((check) => check(now)));
    const pass = { tx, now, number: await nextNumber(tx) };
    const known = new Set((await tx.select({ id: organizations.id }).from(organizations)).map(({ id }) => id));
    for (const result of results)
      if (result.status === "fulfilled") for (const finding of result.value) await apply(pass, finding, known);
    await then(pass);
    return { isDone: true, failures: results.flatMap((r) => (r.status === "rejected" ? [r.reason] : [])) };
  });
}
