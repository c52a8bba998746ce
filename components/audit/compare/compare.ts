import { actorOf, type Entry, sentenceText } from "@/components/audit/entry";
import { type Fact, factsOf, type NamedFact } from "@/components/audit/facts/fact";
import { count } from "@/components/format/amounts";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL } from "@/server/audit/vocabulary";
import { isObject } from "@/server/ground/records";

type Leaf = Exclude<Fact, { kind: "group" }>;
/** One fact in both entries; null for the entry that lacks it. */
export type Pair = { path: string; name: string; sides: [Leaf | null, Leaf | null]; differs: boolean };

type OrgName = (orgId: string) => string;
type Row = { path: string; name: string; fact: Leaf; value: unknown };

const text = (value: string): Leaf => ({ kind: "text", text: value || "None" });

/** Flattens groups; each label is prefixed with those of its parents. */
const leavesOf = (facts: NamedFact[], above = ""): Row[] =>
  facts.flatMap(({ path, label, fact, value }) =>
    fact.kind === "group"
      ? leavesOf(fact.facts, `${above}${label} › `)
      : [{ path: `details.${path}`, name: `${above}${label}`, fact, value }],
  );

/** All facts of an entry, one per row. */
function rowsOf(entry: Entry, orgName: OrgName): Row[] {
  const { resource } = entry;
  const own: [string, Leaf][] = [
    ["What happened", text(sentenceText(entry))],
    ["Time", { kind: "time", at: entry.timestamp }],
    ["Result", text(RESULT_LABEL[entry.result])],
    ["Error", text(entry.errorMessage ?? "")],
    ["Actor", text(actorOf(entry))],
    ["Actor type", text(ACTOR_TYPE_LABEL[entry.actorType])],
    ["Action", text(entry.action)],
    ["Category", text(CATEGORY_LABEL[entry.category])],
    ["Resource", text(resource.name)],
    ["Resource type", text(resource.type)],
    ["Resource ID", text(resource.id)],
    ["Address", text(entry.ipAddress)],
    ["User agent", text(entry.userAgent)],
    ["Organization", text(orgName(entry.orgId))],
    ["Sequence", text(count(entry.chainSeq))],
  ];
  return [
    ...own.map(([name, fact]) => ({ path: name, name, fact, value: fact })),
    ...leavesOf(factsOf(entry.details, [])),
  ];
}

/** A value as JSON, with members in the order of their names: equal values are equal texts. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

const rawOf = ({ value }: Row): Leaf => ({ kind: "code", text: JSON.stringify(value) });

/** Compares what is recorded, not what is shown of it; values that differ but read the same are shown as recorded. */
function pairOf(a: Row, b: Row): Pair {
  const differs = jsonOf(a.value) !== jsonOf(b.value);
  const isAlike = differs && JSON.stringify(a.fact) === JSON.stringify(b.fact);
  return { path: a.path, name: a.name, sides: isAlike ? [rawOf(a), rawOf(b)] : [a.fact, b.fact], differs };
}

/** The facts of two entries, paired: in the first entry's order, then those that only the second has. */
export function pairsOf(a: Entry, b: Entry, orgName: OrgName): Pair[] {
  const [left, right] = [rowsOf(a, orgName), rowsOf(b, orgName)];
  const inRight = new Map(right.map((row) => [row.path, row]));
  const inLeft = new Set(left.map(({ path }) => path));
  return [
    ...left.map((row): Pair => {
      const other = inRight.get(row.path);
      return other ? pairOf(row, other) : { path: row.path, name: row.name, sides: [row.fact, null], differs: true };
    }),
    ...right
      .filter(({ path }) => !inLeft.has(path))
      .map(({ path, name, fact }): Pair => ({ path, name, sides: [null, fact], differs: true })),
  ];
}
