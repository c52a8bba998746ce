"use client";

import { useQuery } from "@tanstack/react-query";
import { useOrg } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { VERDICT_WORD } from "@/server/audit/bundle/verdict";
import { filtersInWords } from "./filters/in-words";
import { spanOf } from "./filters/list-input";
import { spanText } from "./filters/range-line";
import classes from "./viewer.module.css";
import { useViewer } from "./viewer-context";

type Status = Outputs["integrity"]["status"];

/** What is known of the chain, for whoever holds the paper. */
function verdict(status: Status | undefined, zone: string): string {
  if (!status) return "Not known";
  const { state, alarm, anchored } = status;
  if (alarm) return `Chain broken, found ${dateTime(alarm.at, zone)}`;
  const word = `Chain ${VERDICT_WORD[state.status].toLowerCase()}`;
  const through = state.throughSeq === null ? "" : `, read through entry ${count(state.throughSeq)}`;
  const upTo = anchored
    ? `; signed checkpoint at entry ${count(anchored.seq)}, ${dateTime(anchored.signedAt, zone)}`
    : "";
  return `${word}${through}${upTo}`;
}

/** On paper alone: whose entries these are, which of them, and whether their chain holds. */
export function PrintSummary({ names }: { names: ReadonlyMap<string, string> }) {
  const { view, now } = useViewer();
  const { zone } = useZone();
  const { org, organizations } = useOrg();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  const status = useQuery({
    ...useTRPC().integrity.status.queryOptions({ orgId: one?.id }),
    enabled: one !== undefined,
  });
  const lines: [string, string][] = [
    ["Organization", one?.name ?? `All organizations (${organizations.length})`],
    ["Range", `${spanText(spanOf(view, zone, now), zone)}, times in ${zoneName(zone)}`],
    ["Filters", filtersInWords(view, names).join("; ") || "None"],
    ["As of", dateTime(now, zone)],
    [
      "Integrity",
      one ? verdict(status.data, zone) : "One chain per organization: print one organization to see its verdict",
    ],
  ];
  return (
    <dl className={classes.print}>
      {lines.map(([name, text]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{text}</dd>
        </div>
      ))}
    </dl>
  );
}
