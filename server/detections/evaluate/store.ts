import { and, eq, inArray, sql } from "drizzle-orm";
import { bigints } from "@/db/arrays";
import type { Tx } from "@/db/client";
import type { detectionRules } from "@/db/schema";
import { detectionAlerts, detectionPositions, detectionWindows } from "@/db/schema";
import { displayName } from "@/server/audit/sentence";
import { MAX_ALERT_ENTRIES, MAX_GROUPS } from "@/server/detections/vocabulary";
import { DAY_MS } from "@/server/ground/time/durations";
import { compiledRule, spanOf } from "./compiled";
import type { Evaluation, Finding, Group } from "./engine";

export type RuleRow = typeof detectionRules.$inferSelect;
/** A rule in an organization, within a transaction. */
export type Place = { row: RuleRow; orgId: string; evaluation: Evaluation };

const w = detectionWindows;
const a = detectionAlerts;

/** Stored groups, tracking changes. */
export class StoredGroups {
  readonly #groups: Map<string, Group>;
  readonly #changed = new Set<string>();
  constructor(groups: Map<string, Group>) {
    this.#groups = groups;
  }
  get(digest: string): Group | undefined {
    return this.#groups.get(digest);
  }
  set(digest: string, group: Group): void {
    this.#groups.set(digest, group);
    this.#changed.add(digest);
  }
  get changed(): [string, Group][] {
    return [...this.#groups].filter(([digest]) => this.#changed.has(digest));
  }
}

/** Groups of a rule that entries may change, and which of them belong to an acknowledged alert. */
export async function loadGroups(tx: Tx, { row, orgId }: Place, digests: readonly string[]): Promise<StoredGroups> {
  if (digests.length === 0) return new StoredGroups(new Map());
  const stored = await tx
    .select()
    .from(w)
    .where(and(eq(w.ruleId, row.id), eq(w.orgId, orgId), inArray(w.groupDigest, [...digests])));
  const held = await tx
    .select({ id: a.id, digest: a.groupDigest })
    .from(a)
    .where(
      and(
        ...[eq(a.ruleId, row.id), eq(a.orgId, orgId), eq(a.state, "acknowledged")],
        inArray(a.groupDigest, [...digests]),
      ),
    );
  const groups = new Map<string, Group>(
    stored.map(({ groupDigest, marks, alertId, alertedAt }) => [
      groupDigest,
      {
        marks: marks.map(([ms, tag, ...seqs]) => ({ ms, tag, seqs })),
        alert: alertId && alertedAt ? { id: alertId, ms: alertedAt.getTime() } : null,
      },
    ]),
  );
  for (const { id, digest } of held)
    groups.set(digest, { ...(groups.get(digest) ?? { marks: [], alert: null }), heldBy: id });
  return new StoredGroups(groups);
}

type Touched = { groups: StoredGroups; throughSeq: number; now: Date };

/** Writes changed groups. @returns whether others were dropped to make room */
export async function saveGroups(tx: Tx, { row, orgId }: Place, touched: Touched): Promise<boolean> {
  const { groups, throughSeq, now } = touched;
  if (groups.changed.length === 0) return false;
  const keptMs = spanOf(compiledRule(row)) + 1_000 * row.dedupeSeconds + 2 * DAY_MS;
  const rows = groups.changed.map(([groupDigest, { marks, alert }]) => ({
    ...{ ruleId: row.id, orgId, groupDigest, touchedSeq: throughSeq },
    marks: marks.map(({ ms, tag, seqs }): [number, string, ...number[]] => [ms, tag, ...seqs]),
    alertId: alert?.id ?? null,
    alertedAt: alert ? new Date(alert.ms) : null,
    expiresAt: new Date(now.getTime() + keptMs),
  }));
  const set = Object.fromEntries(
    (["marks", "alertId", "alertedAt", "touchedSeq", "expiresAt"] as const).map((name) => [
      name,
      sql.raw(`excluded.${w[name].name}`),
    ]),
  );
  for (let at = 0; at < rows.length; at += 500)
    await tx
      .insert(w)
      .values(rows.slice(at, at + 500))
      .onConflictDoUpdate({ target: [w.ruleId, w.orgId, w.groupDigest], set });
  const where = and(eq(w.ruleId, row.id), eq(w.orgId, orgId));
  const over = (await tx.$count(w, where)) - MAX_GROUPS;
  if (over <= 0) return false;
  await tx.execute(sql`DELETE FROM ${w} WHERE ${where} AND group_digest IN (
    SELECT group_digest FROM ${w} WHERE ${where} ORDER BY touched_seq, group_digest LIMIT ${over})`);
  return true;
}

/** "Many devices deleted: Jane Doe" */
export const titleOf = (title: string, { group, entry }: Finding): string => {
  const names = group.map(({ field, value }) => (field === "user.id" ? displayName(entry.user.name) : value));
  return names.length > 0 ? `${title}: ${names.join(", ")}`.slice(0, 250) : title;
};

type Found = { finding: Finding; now: Date };

async function raise(tx: Tx, { row, orgId }: Place, { finding, now }: Found): Promise<boolean> {
  const { entry, seqs } = finding;
  const at = new Date(finding.ms);
  // Of entries counted in nested windows only the last is known.
  const first = sql`(SELECT min(l."timestamp") FROM audit_logs l
    WHERE l.org_id = ${orgId}::uuid AND l.chain_seq = ANY (${bigints(seqs)}))`;
  const rule = compiledRule(row);
  const inserted = await tx
    .insert(a)
    .values({
      ...{ id: finding.alertId, orgId, ruleId: row.id, ruleDigest: rule.digest, level: rule.level },
      ...{ title: titleOf(rule.title, finding), description: rule.description },
      ...{ groupDigest: finding.digest, groupKey: finding.group },
      ...{ actorId: entry.user.id, actorName: displayName(entry.user.name) },
      ...{ entries: [...seqs], raisedEntries: seqs.length, entryCount: seqs.length },
      ...{ firstAt: sql`coalesce(${first}, ${at.toISOString()}::timestamptz)`, lastAt: at, late: finding.isLate },
      ...{ raisedAt: now, notifies: !row.snoozedUntil || row.snoozedUntil <= now },
    })
    .onConflictDoNothing()
    .returning({ id: a.id });
  return inserted.length > 0;
}

async function join(tx: Tx, { alertId, entry, ms }: Finding): Promise<void> {
  const seq = entry.chainSeq;
  const at = new Date(ms).toISOString();
  await tx
    .update(a)
    .set({
      entries: sql`CASE WHEN cardinality(${a.entries}) < ${MAX_ALERT_ENTRIES} AND NOT ${seq}::bigint = ANY (${a.entries})
        THEN ${a.entries} || ${seq}::bigint ELSE ${a.entries} END`,
      entryCount: sql`${a.entryCount} + 1`,
      firstAt: sql`least(${a.firstAt}, ${at}::timestamptz)`,
      lastAt: sql`greatest(${a.lastAt}, ${at}::timestamptz)`,
    })
    .where(eq(a.id, alertId));
}

/** Writes findings. @returns the number of new alerts */
export async function saveFindings(tx: Tx, place: Place, found: { findings: Finding[]; now: Date }): Promise<number> {
  let raised = 0;
  for (const finding of found.findings) {
    if (finding.kind === "join") await join(tx, finding);
    else if (await raise(tx, place, { finding, now: found.now })) raised++;
  }
  return raised;
}

/** Advances a rule's position in an organization. */
export async function savePosition(
  tx: Tx,
  { row, orgId }: Place,
  to: { throughSeq: number; newestMs: number; cappedAt?: Date },
): Promise<void> {
  const p = detectionPositions;
  await tx
    .update(p)
    .set({
      throughSeq: to.throughSeq,
      ...(to.newestMs > 0 && { newestAt: new Date(to.newestMs) }),
      ...(to.cappedAt && { cappedAt: to.cappedAt }),
    })
    .where(and(eq(p.ruleId, row.id), eq(p.orgId, orgId)));
}
