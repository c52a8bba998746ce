import { createHash } from "node:crypto";
import type { FullEntry } from "@/server/audit/schema";
import { getterOf, textOf } from "@/server/detections/rule/fields";
import type { Matcher } from "@/server/detections/rule/match";
import type { Node, Rule } from "@/server/detections/rule/parse";
import { GRACE_MS, MAX_ALERT_ENTRIES } from "@/server/detections/vocabulary";

/**
 * Evaluates one rule over the sealed entries of one organization, in chain order. Pure, and shared by live evaluation
 * and backtests. Windows use event time, so late entries count where they belong.
 */

/** An event in a window: its time, its distinguishing value, and its entries. */
export type Mark = { ms: number; tag: string; seqs: readonly number[] };
/** State of a group. alert: the last one raised; heldBy: an acknowledged one that is still open. */
export type Group = { marks: Mark[]; alert: { id: string; ms: number } | null; heldBy?: string };
export type Groups = { get(digest: string): Group | undefined; set(digest: string, group: Group): unknown };

type GroupKey = { field: string; value: string }[];
/** A new alert, or entries that join one. */
export type Finding = {
  kind: "raise" | "join";
  alertId: string;
  digest: string;
  group: GroupKey;
  seqs: readonly number[];
  ms: number;
  isLate: boolean;
  entry: FullEntry;
};
type Hit = Pick<Finding, "ms" | "seqs">;

/** Marks kept in a window per tag or, for a count, per threshold unit. */
const KEPT_PER_TAG = 20;
const MAX_TAG = 100;

export type Evaluated = { ruleId: string; orgId: string; rule: Rule; dedupeMs: number; exceptions: readonly Matcher[] };

const sha256 = (parts: readonly unknown[]): Buffer => createHash("sha256").update(JSON.stringify(parts)).digest();

/** Deterministic id of an alert (RFC 9562, version 8). */
function alertIdOf(parts: readonly unknown[]): string {
  const bytes = sha256(parts).subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x80;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  return bytes.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

/** Values that an entry is grouped by; null if it lacks a field. */
function groupOf(groupBy: readonly string[], entry: FullEntry): GroupKey | null {
  const key = groupBy.map((field) => ({ field, value: getterOf(field)?.(entry).map(textOf)[0] ?? "" }));
  return key.some(({ value }) => value === "") ? null : key;
}

const digestOf = (name: string, key: GroupKey): string =>
  sha256([name, ...key.map(({ value }) => value)]).toString("hex", 0, 16);

const merged = (marks: readonly Mark[]): number[] =>
  [...new Set(marks.flatMap(({ seqs }) => seqs))].sort((a, b) => a - b).slice(-MAX_ALERT_ENTRIES);

const toHit = (marks: readonly Mark[], ms: number): Hit => ({ ms, seqs: merged(marks) });

/** Inserts a mark by time. @returns its index */
function insert(marks: Mark[], mark: Mark): number {
  let at = marks.length;
  while (at > 0 && (marks[at - 1]?.ms ?? 0) > mark.ms) at--;
  marks.splice(at, 0, mark);
  return at;
}

type CountNode = Extract<Node, { kind: "event_count" | "value_count" }>;
type OrderNode = Extract<Node, { kind: "temporal" | "temporal_ordered" }>;
const isCount = (node: CountNode | OrderNode): node is CountNode =>
  node.kind === "event_count" || node.kind === "value_count";

/** Counts a mark. @returns the marks of a window that contains it and reaches the threshold; null if there is none */
function count({ window, kind }: CountNode, group: Group, mark: Mark): Mark[] | null {
  const { atLeast, timespanMs } = window;
  if (kind === "value_count") {
    const known = group.marks.findIndex(({ tag }) => tag === mark.tag);
    if (known >= 0 && (group.marks[known]?.ms ?? 0) > mark.ms) return null;
    if (known >= 0) group.marks.splice(known, 1);
  }
  const at = insert(group.marks, mark);
  const isIn = (first: Mark | undefined, last: Mark | undefined) => first && last && last.ms - first.ms <= timespanMs;
  let found: Mark[] | null = null;
  for (let from = Math.max(0, at - atLeast + 1); from <= at && !found; from++)
    if (isIn(group.marks[from], group.marks[from + atLeast - 1]))
      found = group.marks.filter(({ ms }, i) => i >= from && ms - (group.marks[from]?.ms ?? 0) <= timespanMs);
  group.marks.splice(0, Math.max(0, group.marks.length - 2 * atLeast));
  return found;
}

/** Nearest marks of all other steps in order, starting from the mark of one step. */
function inOrder(marks: readonly Mark[], mark: Mark, steps: number): Mark[] | null {
  const at = Number(mark.tag);
  const chosen = [mark];
  for (let step = at - 1, ms = mark.ms; step >= 0; step--) {
    const found = marks.findLast((one) => one.tag === String(step) && one.ms <= ms);
    if (!found) return null;
    chosen.unshift(found);
    ms = found.ms;
  }
  for (let step = at + 1, ms = mark.ms; step < steps; step++) {
    const found = marks.find((one) => one.tag === String(step) && one.ms >= ms);
    if (!found) return null;
    chosen.push(found);
    ms = found.ms;
  }
  return chosen;
}

/** A window with all steps in any order that contains a mark. */
function together({ of, window }: OrderNode, marks: readonly Mark[], mark: Mark): Mark[] | null {
  for (const first of marks.filter(({ ms }) => ms <= mark.ms && mark.ms - ms <= window.timespanMs)) {
    const inside = marks.filter(({ ms }) => ms >= first.ms && ms - first.ms <= window.timespanMs);
    const chosen = of.map((_, step) => inside.findLast(({ tag }) => tag === String(step)));
    if (chosen.every((one) => one !== undefined)) return chosen;
  }
  return null;
}

function correlate(node: OrderNode, group: Group, mark: Mark): Mark[] | null {
  insert(group.marks, mark);
  const own = group.marks.filter(({ tag }) => tag === mark.tag);
  if (own.length > KEPT_PER_TAG)
    group.marks.splice(
      group.marks.findIndex(({ tag }) => tag === mark.tag),
      1,
    );
  if (node.kind === "temporal") return together(node, group.marks, mark);
  const chosen = inOrder(group.marks, mark, node.of.length);
  const [first, last] = [chosen?.[0], chosen?.at(-1)];
  return first && last && last.ms - first.ms <= node.window.timespanMs ? chosen : null;
}

/** Action of alerts themselves, which are never evaluated. */
export const RAISE_ACTION = "detection.alert.raise";

/** One rule in one organization. */
export class Evaluation {
  constructor(private readonly of: Evaluated) {}

  get actions(): ReadonlySet<string> | null {
    return this.of.rule.actions;
  }

  get readsFirstSeen(): boolean {
    return this.of.rule.readsFirstSeen;
  }

  concerns(entry: FullEntry): boolean {
    if (entry.action === RAISE_ACTION || (this.actions && !this.actions.has(entry.action))) return false;
    return this.#matches(this.of.rule.root, entry) && !this.of.exceptions.some((except) => except(entry));
  }

  #matches(node: Node, entry: FullEntry): boolean {
    return node.kind === "entry" ? node.matches(entry) : node.of.some((one) => this.#matches(one, entry));
  }

  digestsOf(entry: FullEntry): string[] {
    const digests: string[] = [];
    const visit = (node: Node) => {
      const key = groupOf(node.kind === "entry" ? this.of.rule.groupBy : node.window.groupBy, entry);
      if (key && (node.kind !== "entry" || node === this.of.rule.root)) digests.push(digestOf(node.name, key));
      if (node.kind !== "entry") node.of.forEach(visit);
    };
    visit(this.of.rule.root);
    return [...new Set(digests)];
  }

  /**
   * Takes the next entry that concerns the rule.
   * @param newestMs newest event so far; one older by more than the grace period is late
   */
  take(entry: FullEntry, groups: Groups, newestMs: number): Finding | null {
    const { rule, ruleId, orgId, dedupeMs } = this.of;
    const ms = Date.parse(entry.timestamp);
    const hit = this.#hit(rule.root, { entry, groups, ms });
    const key = hit && groupOf(rule.groupBy, entry);
    if (!hit || !key) return null;
    const digest = digestOf(rule.root.name, key);
    const group = groups.get(digest) ?? { marks: [], alert: null };
    const joins = group.heldBy ?? (group.alert && Math.abs(ms - group.alert.ms) < dedupeMs ? group.alert.id : null);
    const alertId = joins ?? alertIdOf([ruleId, orgId, digest, entry.chainSeq]);
    if (!joins) group.alert = { id: alertId, ms };
    groups.set(digest, group);
    const isLate = newestMs - ms > GRACE_MS;
    return { kind: joins ? "join" : "raise", alertId, digest, group: key, ...hit, isLate, entry };
  }

  #hit(node: Node, step: { entry: FullEntry; groups: Groups; ms: number }): Hit | null {
    const { entry, groups, ms } = step;
    if (node.kind === "entry") return node.matches(entry) ? { ms, seqs: [entry.chainSeq] } : null;
    // Each child has its own state, so all are evaluated even after a hit.
    const hits = node.of.map((one) => this.#hit(one, step));
    const key = groupOf(node.window.groupBy, entry);
    if (!key || hits.every((hit) => hit === null)) return null;
    const digest = digestOf(node.name, key);
    const group = groups.get(digest) ?? { marks: [], alert: null };
    const marks = this.#marks(node, group, { entry, ms, hits });
    groups.set(digest, group);
    return marks && toHit(marks, ms);
  }

  #marks(node: CountNode | OrderNode, group: Group, { entry, ms, hits }: Step): Mark[] | null {
    if (!isCount(node)) {
      let found: Mark[] | null = null;
      for (const [i, hit] of hits.entries())
        if (hit) found = correlate(node, group, { ms, tag: String(i), seqs: hit.seqs.slice(-KEPT_PER_TAG) }) ?? found;
      return found;
    }
    const { field } = node.window;
    const value = field === null ? "" : getterOf(field)?.(entry).map(textOf)[0];
    if (value === undefined) return null;
    return count(node, group, { ms, tag: value.slice(0, MAX_TAG), seqs: [entry.chainSeq] });
  }
}
type Step = { entry: FullEntry; ms: number; hits: readonly (Hit | null)[] };
