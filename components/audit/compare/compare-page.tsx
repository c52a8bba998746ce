"use client";

import { Group, Switch, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsBoolean, useQueryStates } from "nuqs";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { type Fact, factsOf, type NamedFact } from "@/components/audit/facts/fact";
import { FactValue } from "@/components/audit/facts/fact-value";
import { guid } from "@/components/audit/state/view";
import { count, counted } from "@/components/format/amounts";
import { offset } from "@/components/format/offset";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { Notice, QueryFailure } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { keyText } from "@/server/audit/provenance";
import { actorOf, sentenceText } from "@/server/audit/sentence";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL, SUBMITTED_LABEL } from "@/server/audit/vocabulary";
import { isObject } from "@/server/ground/records";
import classes from "./compare.module.css";

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
    ["Recorded", text(entry.submittedBy ? `via ${keyText(entry.submittedBy)}` : SUBMITTED_LABEL.false)],
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

/** A value as JSON with sorted members, so that equal values give equal texts. */
const jsonOf = (value: unknown): string =>
  JSON.stringify(value, (_, one: unknown) =>
    isObject(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one,
  );

const rawOf = ({ value }: Row): Leaf => ({ kind: "code", text: JSON.stringify(value) });

/** Compares the recorded values, not their display; values that differ but read the same are shown as recorded. */
function pairOf(a: Row, b: Row): Pair {
  const differs = jsonOf(a.value) !== jsonOf(b.value);
  const isAlike = differs && JSON.stringify(a.fact) === JSON.stringify(b.fact);
  return { path: a.path, name: a.name, sides: isAlike ? [rawOf(a), rawOf(b)] : [a.fact, b.fact], differs };
}

/** The facts of two entries, paired: in the order of the first entry, then those only in the second. */
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

const parsers = { a: guid, b: guid, only: parseAsBoolean.withDefault(false) };

/** Compares two entries side by side; if the URL has only one, with the previous change of the same resource. */
export function ComparePage() {
  const [view, setView] = useQueryStates(parsers, { history: "replace" });
  const trpc = useTRPC();
  const isPrevious = view.a === null;
  const second = useQuery({ ...trpc.audit.get.queryOptions({ id: view.b ?? "" }), enabled: view.b !== null });
  const named = useQuery({ ...trpc.audit.get.queryOptions({ id: view.a ?? "" }), enabled: !isPrevious });
  const previous = useQuery({
    ...trpc.audit.previousChange.queryOptions({ id: view.b ?? "" }),
    enabled: isPrevious && view.b !== null,
  });
  const failed = [second, isPrevious ? previous : named].find((query) => query.isError);
  const first = isPrevious ? previous.data?.entry : named.data;
  return (
    <>
      <BackLink href={view.b ? `/audit/${view.b}` : "/"}>{view.b ? "The entry" : "Audit log"}</BackLink>
      <PageHeader
        title="Compare entries"
        lead={isPrevious && view.b ? "With the previous change of the same resource." : "Two entries, field by field."}
      />
      {view.b === null && (
        <Notice title="Nothing to compare">Pin two entries (P) in the audit log to compare them.</Notice>
      )}
      {failed?.error && <QueryFailure query={failed} what="an entry" />}
      {previous.data && !first && (
        <Notice title="No earlier change found">
          {previous.data.isWhole
            ? "No earlier entry in the log records a successful change of this resource."
            : `None among the ${count(previous.data.read)} entries about it that were read before this one.`}
        </Notice>
      )}
      {first && second.data && (
        <Comparison
          entries={[first, second.data]}
          only={view.only}
          onOnly={(only) => void setView({ only: only || null })}
        />
      )}
    </>
  );
}

type Props = { entries: [Entry, Entry]; only: boolean; onOnly: (only: boolean) => void };

function Comparison({ entries, only, onOnly }: Props) {
  const { nameOf } = useOrg();
  const [a, b] = entries.toSorted((x, y) => x.timestamp.localeCompare(y.timestamp) || x.chainSeq - y.chainSeq);
  if (!a || !b) return null;
  const pairs = pairsOf(a, b, nameOf);
  const differing = pairs.filter(({ differs }) => differs);
  return (
    <>
      <Group gap="8px 16px" px="edge" pb="md">
        <Text size="sm" c="dimmed" role="status">
          {counted(differing.length, "difference")} in {counted(pairs.length, "field")};{" "}
          {a.timestamp === b.timestamp
            ? "both at the same instant"
            : `the second came ${offset(b.timestamp, a.timestamp)} the first`}
        </Text>
        <Switch
          label="Only differences"
          wrapperProps={{ "data-screen": true }}
          checked={only}
          onChange={({ currentTarget }) => onOnly(currentTarget.checked)}
        />
      </Group>
      <table className={`tm-table ${classes.table}`}>
        <caption>Two entries side by side, the older one first</caption>
        <thead>
          <tr>
            <td />
            {[a, b].map((entry) => (
              <th key={entry.id} scope="col">
                <Link href={`/audit/${entry.id}`} className="tm-link">
                  <EntrySentence entry={entry} />
                </Link>
                <br />
                <When at={entry.timestamp} />
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {(only ? differing : pairs).map(({ path, name, sides, differs }) => (
            <tr key={path} data-differs={differs || undefined}>
              <th scope="row">
                {name}
                {differs && (
                  <Text size="xs" fw={600} c="var(--tm-warn)">
                    Differs
                  </Text>
                )}
              </th>
              {sides.map((fact, side) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: always exactly two sides.
                <td key={side}>{fact ? <FactValue fact={fact} /> : <span className="tm-quiet">Not present</span>}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
