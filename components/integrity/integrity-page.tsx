"use client";

import { Box, Skeleton } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { OneOrg, type Org } from "@/components/account/one-org";
import { count, counted } from "@/components/format/amounts";
import { When } from "@/components/format/when";
import { type Outputs, useTRPC } from "@/components/trpc";
import { Figures } from "@/components/ui/figures";
import { QueryFailure } from "@/components/ui/notice";
import { PageHeader, Section } from "@/components/ui/page-header";
import { isHeadAlarm } from "@/server/audit/vocabulary";
import { Breaks, placesText } from "./breaks";
import { CheckRange } from "./check-range";
import { Checkpoints } from "./checkpoints";
import classes from "./integrity.module.css";
import { VerdictHead } from "./verdict-head";

type Chain = Pick<Outputs["integrity"]["status"], "head" | "alarm">;

/** There is an alarm, and the chain's length is unknown because its head is missing. */
const isHeadLost = ({ head, alarm }: Chain): boolean => head === null && alarm !== null;

/** True if only the head or end is broken, whichever check found it: it can be repaired. */
export const isHeadAlone = ({ head, alarm }: Chain): boolean =>
  alarm !== null && isHeadAlarm(head === null ? { ...alarm, source: "head" } : alarm);

type Status = Outputs["integrity"]["status"];

/** The number of entries in the chain; null if unknown. */
const rowsOf = (status: Status): number | null =>
  isHeadLost(status) ? null : (status.head?.seq ?? 0) - status.prunedThroughSeq;

/** Whether an organization's audit chain is unaltered, and the evidence for it. */
export function IntegrityPage() {
  return <OneOrg title="Integrity">{(org) => <Integrity key={org.id} org={org} />}</OneOrg>;
}

function Integrity({ org }: { org: Org }) {
  const status = useQuery(useTRPC().integrity.status.queryOptions({ orgId: org.id }));
  const breaks = status.data?.alarm?.breaks ?? [];
  return (
    <>
      <PageHeader title="Integrity" lead={`Whether the audit log of ${org.name} is still as it was written.`} />
      {status.isPending && (
        <Box px="edge" pb={20} role="status" aria-label="Loading the integrity status">
          <Skeleton className={classes.awaited} radius={8} />
        </Box>
      )}
      {status.isError ? (
        <QueryFailure query={status} what="the state of the chain" />
      ) : (
        <>
          {status.data && (
            <div className={classes.state}>
              <KnownState status={status.data} />
            </div>
          )}
          <Numbers status={status.data} />
        </>
      )}
      {breaks.length > 0 && (
        <Section
          title="Where it breaks"
          lead={
            status.data && isHeadAlone(status.data)
              ? "Where the entries themselves are intact, repair-head rebuilds the head of the chain. Find out who had access."
              : "This cannot be repaired. Keep the bundle, and find out who had access."
          }
          flush
        >
          <Breaks breaks={breaks} rowHref={(id) => `/audit/${id}`} />
        </Section>
      )}
      <Section
        title="Verify or download evidence"
        lead={
          <>
            The whole chain, or a range of it. Anyone can check a bundle, without this server, at{" "}
            <a className="tm-link" href="/verify" style={{ textDecoration: "underline" }}>
              /verify
            </a>
            .
          </>
        }
      >
        <CheckRange
          org={org}
          rows={status.data ? rowsOf(status.data) : null}
          prunedUnder={status.data?.prunedUnder ?? null}
        />
      </Section>
      <Checkpoints org={org} sinks={status.data?.sinks ?? []} />
    </>
  );
}

const FOUND_BY = {
  nightly: "the nightly run",
  checkpoint: "the signing of a checkpoint",
  "on demand": "a verification on demand",
  head: "a check of the head of the chain",
  retention: "the check before retention removes entries",
  recording: "the process that recorded its entries, which read them again",
} satisfies Record<NonNullable<Status["alarm"]>["source"], string>;

const KIND = { nightly: "nightly run", whole: "whole chain, on demand", range: "a range, on demand" };

/** "nightly run, entries 1 to 15,676": scope of a check. */
const readBy = ({ kind, firstSeq, lastSeq }: NonNullable<Status["last"]>): string =>
  firstSeq === null || lastSeq === null ? KIND[kind] : `${KIND[kind]}, entries ${count(firstSeq)} to ${count(lastSeq)}`;

function KnownState({ status }: { status: Status }) {
  const { alarm, state, head } = status;
  if (alarm)
    return (
      <VerdictHead kind="broken" title="Broken">
        The chain is broken in {placesText(alarm.breaks)}. Found <When at={alarm.at} /> by {FOUND_BY[alarm.source]}.
        This alarm stays until a verification of the whole chain finds no break.
      </VerdictHead>
    );
  if (state.status === "broken")
    return (
      <VerdictHead kind="broken" title="Broken">
        The last verification found the chain broken, and its alarm is no longer there. This verdict stays until a
        verification of the whole chain finds no break.
      </VerdictHead>
    );
  if (state.status === "empty")
    return (
      <VerdictHead kind="empty" title="Nothing logged yet">
        The chain begins with the first audit entry.
      </VerdictHead>
    );
  const through = state.throughSeq ?? 0;
  const newer = Math.max(0, (head?.seq ?? 0) - through);
  if (state.status !== "intact")
    return (
      <VerdictHead kind="unproven" title="Not proven">
        No contradiction was found, but not all of the chain is proven. {state.reasons.join(" ")}
        {state.rowsUnread > 0 &&
          " A verification of the whole chain, below, or the next nightly runs read what is missing."}
      </VerdictHead>
    );
  return (
    <VerdictHead kind="intact" title="Intact">
      Every entry through {count(through)} was read within the last 31 days, by a check or when its checkpoint was
      signed: unchanged and in order.
      {newer > 0 && ` ${counted(newer, "newer entry", "newer entries")} not checked yet.`}
    </VerdictHead>
  );
}

function Numbers({ status }: { status: Status | undefined }) {
  const wait = <Skeleton height={20} width={96} my={4} />;
  const last = status?.last;
  const rows = status ? rowsOf(status) : 0;
  const pruned = status?.prunedThroughSeq
    ? `${count(status.prunedThroughSeq)} older ones pruned under ${status.prunedUnder}`
    : "none pruned";
  /** A blank keeps the line's height until the value is known. */
  const known = (note: ReactNode): ReactNode => (status ? note : "\u00a0");
  return (
    <Figures
      label="Integrity in numbers"
      items={[
        {
          label: "Entries in the chain",
          value: status ? (rows === null ? "Not known" : count(rows)) : wait,
          note: known(rows === null ? "the head of the chain is lost" : pruned),
        },
        {
          label: "Read by the last check",
          value: status ? (last ? counted(last.rowsChecked, "entry", "entries") : "None") : wait,
          note: known(last ? readBy(last) : status?.anchored ? "read for each checkpoint" : "no verification yet"),
        },
        {
          label: "Signed through",
          value: status ? (status.anchored ? `Entry ${count(status.anchored.seq)}` : "Nothing") : wait,
          note: known(status?.anchored ? <When at={status.anchored.signedAt} /> : "no signed checkpoint yet"),
        },
        {
          label: "Last check",
          wide: true,
          value: status ? <When at={last?.ranAt ?? null} none="None yet" /> : wait,
          note: known(
            status?.nextRunAt ? (
              <>
                next <When at={status.nextRunAt} />
              </>
            ) : (
              "no nightly run planned"
            ),
          ),
        },
      ]}
    />
  );
}
