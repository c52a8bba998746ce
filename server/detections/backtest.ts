import { sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { rowsOf } from "@/db/rows";
import type { FullEntry } from "@/server/audit/schema";
import { withFirstSeen } from "@/server/audit/search/first-seen";
import { readSpans } from "@/server/audit/tail/position";
import { organizationsOf } from "@/server/audit/tail/tail";
import { readHeads } from "@/server/audit/tail/watch";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { requirePermission } from "@/server/ground/scope";
import { DAY_MS } from "@/server/ground/time/durations";
import { Evaluation, type Finding, type Group } from "./evaluate/engine";
import { titleOf } from "./evaluate/store";
import { parseRule, type Rule } from "./rule/parse";
import { type Backtest, backtest, backtestInput } from "./schema";
import { MAX_GROUPS } from "./vocabulary";

/** Sequences per query; a rule about a few actions reads few of their rows. */
const STEP_ROWS = 5_000;
/** A rule on all actions reads whole rows, which may be large. */
const WHOLE_STEP_ROWS = 1_000;
const DEADLINE_MS = 60_000;
const MAX_SAMPLES = 20;
const MAX_TOP_GROUPS = 10;

/** Groups of a rule in memory; the least recently used is dropped. */
class RecentGroups {
  readonly #groups = new Map<string, Group>();
  isCapped = false;
  get(digest: string): Group | undefined {
    return this.#groups.get(digest);
  }
  set(digest: string, group: Group): void {
    this.#groups.delete(digest);
    this.#groups.set(digest, group);
    const [oldest] = this.#groups.keys();
    if (this.#groups.size <= MAX_GROUPS || oldest === undefined) return;
    this.#groups.delete(oldest);
    this.isCapped = true;
  }
}

type Span = { orgId: string; after: number; through: number };

const spanSince = (ctx: Ctx, orgId: string, from: Date): Promise<Span | null> =>
  tenant(ctx.scope, async (tx) => {
    const [head] = await readHeads(tx, [orgId]);
    const [row] = await rowsOf<{ first: number | null }>(
      tx,
      sql`SELECT min(a.chain_seq)::float8 AS first FROM audit_logs a
        WHERE a.org_id = ${orgId}::uuid AND a."timestamp" >= ${from.toISOString()}::timestamptz`,
    );
    return head && row?.first ? { orgId, after: row.first - 1, through: head.seq } : null;
  });

type Asked = { rule: Rule; dedupeMs: number; from: Date; deadline: number };
type Told = { findings: { orgId: string; finding: Finding; title: string }[]; entriesRead: number; isCapped: boolean };

async function replay(
  ctx: Ctx,
  span: Span,
  { rule, dedupeMs, from, deadline }: Asked,
): Promise<Told & { isDone: boolean }> {
  const { orgId } = span;
  const evaluation = new Evaluation({ ruleId: "backtest", orgId, rule, dedupeMs, exceptions: [] });
  const groups = new RecentGroups();
  const told: Told = { findings: [], entriesRead: 0, isCapped: false };
  const actions = rule.actions ? [...rule.actions] : undefined;
  const kinds = rule.firstSeen ? [...rule.firstSeen] : undefined;
  const step = actions || kinds ? STEP_ROWS : WHOLE_STEP_ROWS;
  let newestMs = 0;
  for (let after = span.after; after < span.through; after += step) {
    if (ctx.signal?.aborted || performance.now() > deadline)
      return { ...told, isCapped: groups.isCapped, isDone: false };
    const part = { orgId, after, through: Math.min(span.through, after + step) };
    const found =
      actions?.length === 0 ? [] : await readSpans(ctx, { actions, from, ...(kinds && { new: kinds }) }, [part]);
    const entries = rule.readsFirstSeen ? await tenant(ctx.scope, (tx) => withFirstSeen(tx, found)) : found;
    told.entriesRead += part.through - part.after;
    for (const entry of entries) {
      if (!evaluation.concerns(entry)) continue;
      const finding = evaluation.take(entry, groups, newestMs);
      if (finding?.kind === "raise") told.findings.push({ orgId, finding, title: titleOf(rule.title, finding) });
      newestMs = Math.max(newestMs, Date.parse(entry.timestamp));
    }
  }
  return { ...told, isCapped: groups.isCapped, isDone: true };
}

function counted<T>(items: readonly T[], keyOf: (item: T) => string): [string, [T, number]][] {
  const counts = new Map<string, [T, number]>();
  for (const item of items) counts.set(keyOf(item), [item, (counts.get(keyOf(item))?.[1] ?? 0) + 1]);
  return [...counts];
}

/** Every day from first to last, including those without an alert. */
function perDay(findings: Told["findings"], { from, to }: { from: Date; to: Date }): Backtest["days"] {
  const counts = new Map(counted(findings, ({ finding }) => finding.entry.timestamp.slice(0, 10)));
  const days: Backtest["days"] = [];
  for (let ms = Math.floor(from.getTime() / DAY_MS) * DAY_MS; ms <= to.getTime(); ms += DAY_MS) {
    const day = new Date(ms).toISOString().slice(0, 10);
    days.push({ day, alerts: counts.get(day)?.[1] ?? 0 });
  }
  return days;
}

const sampleOf = ({ orgId, title, finding }: Told["findings"][number]) => {
  const entry: FullEntry = finding.entry;
  return { orgId, title, at: entry.timestamp, entries: [...finding.seqs], entry };
};

/**
 * Alerts that a rule would have raised over the sealed history of the last days, using the live evaluation code. Read
 * only.
 * @throws AppError validation_failed, forbidden
 */
export const backtestRule = operation({
  permission: "detections:manage",
  input: backtestInput,
  output: backtest,
  async run(ctx, { yaml, days, dedupeSeconds }): Promise<Backtest> {
    requirePermission(ctx, "audit:read");
    const rule = parseRule(yaml);
    const to = ctx.now();
    const from = new Date(to.getTime() - days * DAY_MS);
    const asked = { rule, dedupeMs: 1_000 * dedupeSeconds, from, deadline: performance.now() + DEADLINE_MS };
    const all: Told & { isDone: boolean } = { findings: [], entriesRead: 0, isCapped: false, isDone: true };
    for (const orgId of await organizationsOf(ctx.scope)) {
      const span = all.isDone ? await spanSince(ctx, orgId, from) : null;
      if (!span) continue;
      const told = await replay(ctx, span, asked);
      all.findings.push(...told.findings);
      all.entriesRead += told.entriesRead;
      all.isCapped ||= told.isCapped;
      all.isDone &&= told.isDone;
    }
    const groups = counted(all.findings, ({ orgId, finding }) => `${orgId} ${finding.digest}`).sort(
      ([, [, a]], [, [, b]]) => b - a,
    );
    return {
      ...{ from: from.toISOString(), to: to.toISOString(), complete: all.isDone, capped: all.isCapped },
      ...{ entriesRead: all.entriesRead, alerts: all.findings.length, days: perDay(all.findings, { from, to }) },
      groups: groups.slice(0, MAX_TOP_GROUPS).map(([, [{ orgId, title }, alerts]]) => ({ orgId, title, alerts })),
      samples: all.findings.slice(-MAX_SAMPLES).reverse().map(sampleOf),
    };
  },
});
