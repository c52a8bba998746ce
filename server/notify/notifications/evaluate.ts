import { isDeepStrictEqual } from "node:util";
import { and, eq, isNull, sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { notifications, organizations } from "@/db/schema/index";
import { keysOf } from "@/server/ground/records";
import { KINDS, type NotificationKind } from "@/server/notify/vocabulary";
import { type Check, type Detail, detail as detailSchema, type Finding } from "./kinds/definition";

/** Open row of an organization and kind. raisedAt null: seen, but not yet for long enough. */
export type Open = { since: Date; observedAt: Date; raisedAt: Date | null };

/** Whether the condition holds, and the time of observation. */
type Observation = { holds: boolean; now: Date };

/** Change of a condition in one evaluation. */
export type Step =
  | { do: "nothing" }
  | { do: "begin"; isRaised: boolean }
  | { do: "wait"; since: Date }
  | { do: "raise"; since: Date }
  | { do: "forget" }
  | { do: "resolve" };

/** A larger gap between evaluations leaves the time in between unobserved. */
const WATCH_GAP_MS = 5 * 60_000;

function waiting(kind: NotificationKind, open: Open, now: Date): Step {
  const { holdsMs, isWatched } = KINDS[kind];
  const wasWatched = !isWatched || now.getTime() - open.observedAt.getTime() <= WATCH_GAP_MS;
  const since = wasWatched ? open.since : now;
  return now.getTime() - since.getTime() >= holdsMs ? { do: "raise", since } : { do: "wait", since };
}

/**
 * State machine of one organization and kind: none, seen, raised, resolved. Reports once when a condition has held long
 * enough, and once when it ends; an unreported one is dropped silently.
 * @param open null when no row is open
 */
export function stepOf(kind: NotificationKind, open: Open | null, { holds, now }: Observation): Step {
  if (!open) return holds ? { do: "begin", isRaised: KINDS[kind].holdsMs === 0 } : { do: "nothing" };
  if (open.raisedAt) return holds ? { do: "nothing" } : { do: "resolve" };
  return holds ? waiting(kind, open, now) : { do: "forget" };
}

/** Serializes evaluations, even if a process presumed dead continues with one. */
const LOCK = "trailmark notifications";

type OpenRow = typeof notifications.$inferSelect;
/** One evaluation, with the number for its findings; known: existing organizations. */
export type Pass = { tx: Tx; now: Date; number: number; known: ReadonlySet<string> };

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

/** hasJoined: another witness or endpoint joined a raised condition. */
type Move = { step: Step; detail: Detail; hasJoined: boolean };

/** Finding for a row's organization; undefined: none. */
type Found = { kind: NotificationKind; found: Finding["found"][number] | undefined; now: Date };

/** Decides the next state of an open row. */
function moveOf(row: OpenRow, { kind, found, now }: Found): Move {
  const before = detailSchema.safeParse(row.detail).data ?? {};
  const detail = withSeen(kind, found?.detail ?? {}, { before, now });
  const step = stepOf(kind, { ...row, since: firstSeen(detail) ?? row.since }, { holds: found?.holds ?? false, now });
  return { step, detail, hasJoined: step.do === "nothing" && hasMore(detail, before) };
}

/**
 * Writes the next state of an open row. If another subject joins, it is raised again: unread, and reported to everyone.
 */
async function move({ tx, now, number }: Pass, row: OpenRow, { step, detail, hasJoined }: Move): Promise<void> {
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
  else if (hasJoined) await tx.update(notifications).set({ detail, raisedAt: now, raisedIn: number }).where(where);
  else if (!isDeepStrictEqual(row.detail, detail)) await tx.update(notifications).set({ detail }).where(where);
}

/** Applies a finding to the rows of one kind; deleted organizations are skipped. */
async function apply(pass: Pass, kind: NotificationKind, { checked, found }: Finding): Promise<void> {
  const { tx, now, known } = pass;
  const rows = await tx
    .select()
    .from(notifications)
    .where(and(eq(notifications.kind, kind), isNull(notifications.resolvedAt)));
  const open = new Map(rows.map((row) => [row.orgId, row]));
  const byOrg = new Map(found.map((one) => [one.orgId, one]));
  for (const { orgId, holds, detail } of found) {
    const step = holds && !open.has(orgId) && known.has(orgId) ? stepOf(kind, null, { holds, now }) : null;
    const row = { orgId, kind, detail: withSeen(kind, detail, { before: {}, now }) };
    if (step?.do === "begin") await begin(pass, row, step.isRaised);
  }
  for (const row of rows) {
    if (checked !== "all" && !checked.has(row.orgId)) continue;
    await move(pass, row, moveOf(row, { kind, found: byOrg.get(row.orgId), now }));
  }
}

type Checks = Partial<Record<NotificationKind, Check>>;

/**
 * Checks every condition and stores started and ended ones, then in the same transaction the recipients to notify.
 * @param checks a failing one changes nothing of its kind
 * @returns why some checks failed
 */
export function evaluate(
  checks: Checks,
  now: Date,
  then: (pass: Pass) => Promise<void> = async () => {},
): Promise<unknown[]> {
  return asSystem(async (tx) => {
    await tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended(${LOCK}, 0))`);
    const kinds = keysOf(checks);
    const results = await Promise.allSettled(kinds.map((kind) => checks[kind]?.(now)));
    const known = new Set((await tx.select({ id: organizations.id }).from(organizations)).map(({ id }) => id));
    const pass = { tx, now, number: await nextNumber(tx), known };
    for (const [i, kind] of kinds.entries()) {
      const result = results[i];
      if (result?.status === "fulfilled" && result.value) await apply(pass, kind, result.value);
    }
    await then(pass);
    return results.flatMap((r) => (r.status === "rejected" ? [r.reason] : []));
  });
}

/** before: facts of the open row that a finding continues. */
type Looked = { before: Detail; now: Date };

/**
 * Adds the start of a shared condition for each named subject, and as `names` those that have had it as long as its
 * kind requires.
 */
function withSeen(kind: NotificationKind, detail: Detail, { before, now }: Looked): Detail {
  if (!detail.names) return detail;
  const known = new Map(before.seen?.map(({ name, since }) => [name, since]));
  const seen = detail.names.map((name) => ({ name, since: known.get(name) ?? now.toISOString() }));
  const isLong = (at: string) => now.getTime() - Date.parse(at) >= KINDS[kind].holdsMs;
  return { ...detail, names: seen.filter((one) => isLong(one.since)).map(({ name }) => name), seen };
}

/** Earliest start among these; undefined without names. */
function firstSeen({ seen = [] }: Detail): Date | undefined {
  const [first] = seen.map(({ since }) => since).sort();
  return first === undefined ? undefined : new Date(first);
}

const subjectsOf = ({ ids, names = [] }: Detail): string[] => ids ?? names;

/** True if a new subject joined. */
const hasMore = (detail: Detail, before: Detail): boolean =>
  subjectsOf(detail).some((one) => !subjectsOf(before).includes(one));
