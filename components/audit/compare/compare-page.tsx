"use client";

import { Switch } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import Link from "next/link";
import { parseAsBoolean, useQueryStates } from "nuqs";
import { useOrg } from "@/components/account/org";
import type { Entry } from "@/components/audit/entry";
import { EntrySentence } from "@/components/audit/entry-sentence";
import { FactValue } from "@/components/audit/facts/fact-value";
import { guid } from "@/components/audit/state/view";
import { count, counted } from "@/components/format/amounts";
import { offset } from "@/components/format/offset";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { BackLink } from "@/components/ui/links/back-link";
import { Failure, Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { pairsOf } from "./compare";
import classes from "./compare.module.css";

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
        <Notice title="Nothing to compare">
          Pin two entries in the audit log: press p on each, or the pin in an open one.
        </Notice>
      )}
      {failed?.error && <Failure error={failed.error} onRetry={() => void failed.refetch()} what="an entry" />}
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
      <div className={classes.tools}>
        <p role="status">
          {counted(differing.length, "difference")} in {counted(pairs.length, "field")};{" "}
          {a.timestamp === b.timestamp
            ? "both at the same instant"
            : `the second came ${offset(b.timestamp, a.timestamp)} the first`}
        </p>
        <Switch
          label="Only differences"
          checked={only}
          onChange={({ currentTarget }) => onOnly(currentTarget.checked)}
        />
      </div>
      <table className={classes.table}>
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
                {differs && <span className={classes.differs}>Differs</span>}
              </th>
              {sides.map((fact, side) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: always exactly two sides.
                <td key={side}>
                  {fact ? <FactValue fact={fact} /> : <span className={classes.absent}>Not present</span>}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </>
  );
}
