"use client";

import { useQuery } from "@tanstack/react-query";
import { useMe, useOrg } from "@/components/account/org";
import { ActorType } from "@/components/audit/actor-type";
import { type Entry, endsOf } from "@/components/audit/entry";
import { describeFilters, describeOrganizations } from "@/components/audit/state/describe-filters";
import { spanText } from "@/components/audit/state/range";
import type { Print } from "@/components/audit/state/use-print";
import { spanOf } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { count, counted } from "@/components/format/amounts";
import { dateTime, zoneName } from "@/components/format/time";
import { Via } from "@/components/format/via";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { sentenceText } from "@/server/audit/sentence";
import { MAX_PRINTED, RESULT_LABEL } from "@/server/audit/vocabulary";
import { VERDICT_WORD } from "@/server/evidence/bundle/verdict";
import classes from "./print-sheet.module.css";

type Status = Outputs["integrity"]["status"];

/** The state of the chain, as printed. */
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

/** How many of the matching entries are printed. */
function amount({ all, entries }: Print): string {
  if (!all)
    return `${counted(entries.length, "entry", "entries")}, only those on the screen: the others could not be loaded`;
  const cut = all.truncated ? ", among the newest: searches of one or two letters go no further" : "";
  return all.total > entries.length
    ? `The newest ${count(entries.length)} of ${count(all.total)} entries${cut}`
    : `${counted(entries.length, "entry", "entries")}, all that match${cut}`;
}

/** Shown only in print: the entries, and on every page their organization, the filters and the state of the chain. */
export function PrintSheet({ print }: { print: Print }) {
  const { zone } = useZone();
  const { one, nameOf } = useOrg();
  const headers = [
    "Entry",
    "Time",
    "What happened",
    "Action",
    ...(one ? [] : ["Organization"]),
    "Actor",
    "From",
    "Result",
  ];
  return (
    <div className={classes.sheet} data-sheet data-printed>
      {print.all && print.all.total > print.entries.length && (
        <p className={classes.cut}>
          Only the newest {count(print.entries.length)} of {count(print.all.total)} matching entries are printed. Narrow
          the range or the filters to print the others, at most {count(MAX_PRINTED)} at a time.
        </p>
      )}
      <table>
        <caption>Audit entries, newest first, for print</caption>
        <thead>
          <tr>
            <td colSpan={headers.length}>
              <Summary print={print} />
            </td>
          </tr>
          <tr>
            {headers.map((head) => (
              <th key={head} scope="col">
                {head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {print.entries.map((entry) => (
            <Row key={entry.id} entry={entry} zone={zone} organization={nameOf(entry.orgId)} hasColumn={!one} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Summary({ print }: { print: Print }) {
  const { view, now, audit } = useViewer();
  const { zone } = useZone();
  const span = spanOf(view, zone, now);
  const { user } = useMe();
  const { one, organizations, several } = useOrg();
  const status = useQuery({
    ...useTRPC().integrity.status.queryOptions({ orgId: one?.id }),
    enabled: one !== undefined,
  });
  const lines: [string, string][] = [
    ["Organization", one?.name ?? describeOrganizations(several, organizations)],
    ["Range", spanText(span, zone)],
    ["Time zone", zoneName(zone, span.from, span.to, print.at, ...endsOf(print.entries))],
    ["Filters", describeFilters(view, audit.names).join("; ") || "None"],
    ["Entries", amount(print)],
    [
      "Integrity",
      one ? verdict(status.data, zone) : "One chain per organization: print one organization to see its verdict",
    ],
    ["Printed", `by ${user.name} (${user.email}), ${dateTime(print.at, zone)}`],
  ];
  return (
    <>
      <p className={classes.title}>Audit log</p>
      <dl>
        {lines.map(([name, text]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{text}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}

type RowProps = { entry: Entry; zone: string; organization: string; hasColumn: boolean };

/** Allows line breaks after the dots of a code. */
const codeParts = (code: string) => code.split(/(?<=\.)/).map((part, at) => [at > 0 && <wbr key={part} />, part]);

function Row({ entry, zone, organization, hasColumn }: RowProps) {
  const [date, time] = dateTime(entry.timestamp, zone).split(", ");
  return (
    <tr>
      <td>{entry.chainSeq}</td>
      <td>
        <span>{date},</span> <span>{time}</span>
      </td>
      <td>
        <a href={`/audit/${entry.id}`}>{sentenceText(entry, organization)}</a>
      </td>
      <td>{codeParts(entry.action)}</td>
      {hasColumn && <td>{organization}</td>}
      <td>
        <ActorType type={entry.actorType} />
        {entry.submittedBy && <Via by={entry.submittedBy} />}
      </td>
      <td>{entry.ipAddress}</td>
      <td>{RESULT_LABEL[entry.result]}</td>
    </tr>
  );
}
