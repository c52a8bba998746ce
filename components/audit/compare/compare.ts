import { actorOf, type Entry, sentenceText } from "@/components/audit/entry";
import { type Fact, factsOf, type NamedFact } from "@/components/audit/facts/fact";
import { count } from "@/components/format/amounts";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL } from "@/server/audit/vocabulary";

type Leaf = Exclude<Fact, { kind: "group" }>;
/** One fact in both entries; null for the entry that lacks it. */
export type Pair = { path: string; name: string; sides: [Leaf | null, Leaf | null]; differs: boolean };

type OrgName = (orgId: string) => string;
type Row = { path: string; name: string; fact: Leaf };

const text = (value: string): Leaf => ({ kind: "text", text: value || "None" });

/** Flattens groups; each label is prefixed with those of its parents. */
const leavesOf = (facts: NamedFact[], above = ""): Row[] =>
  facts.flatMap(({ path, label, fact }) =>
    fact.kind === "group"
      ? leavesOf(fact.facts, `${above}${label} › `)
      : [{ path: `details.${path}`, name: `${above}${label}`, fact }],
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
  return [...own.map(([name, fact]) => ({ path: name, name, fact })), ...leavesOf(factsOf(entry.details, []))];
}

/** The facts of two entries, paired: in the first entry's order, then those that only the second has. */
export function pairsOf(a: Entry, b: Entry, orgName: OrgName): Pair[] {
  const [left, right] = [rowsOf(a, orgName), rowsOf(b, orgName)];
  const inRight = new Map(right.map((row) => [row.path, row.fact]));
  const inLeft = new Set(left.map(({ path }) => path));
  const pairs: Omit<Pair, "differs">[] = [
    ...left.map(
      ({ path, name, fact }): Omit<Pair, "differs"> => ({ path, name, sides: [fact, inRight.get(path) ?? null] }),
    ),
    ...right
      .filter(({ path }) => !inLeft.has(path))
      .map(({ path, name, fact }): Omit<Pair, "differs"> => ({ path, name, sides: [null, fact] })),
  ];
  return pairs.map((pair) => ({ ...pair, differs: JSON.stringify(pair.sides[0]) !== JSON.stringify(pair.sides[1]) }));
}
