"use client";

import { useQuery } from "@tanstack/react-query";
import { Shield, ShieldCheck, ShieldQuestionMark, ShieldX } from "lucide-react";
import Link from "next/link";
import { useCan, useOrg } from "@/components/account/org";
import { count } from "@/components/format/amounts";
import { dateTime } from "@/components/format/time";
import { useZone } from "@/components/format/zone";
import { type Outputs, useTRPC } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";
import { Tip } from "@/components/ui/popover/tip";
import { type ChainSummary, summaryOfAll, unread } from "./chain-summary";
import classes from "./integrity-badge.module.css";

const POLL_MS = 60_000;
/** Counts change slowly; new problems show up as alarms, which are polled more often. */
const COUNTS_POLL_MS = 5 * 60_000;

/**
 * The state of the chain in every page's header. Links to its integrity page, or to Customers when there are several.
 */
export function IntegrityBadge() {
  const { org, organizations } = useOrg();
  const one = org ?? (organizations.length === 1 ? organizations[0] : undefined);
  if (!useCan("audit:read")) return null;
  return one ? <OneChainBadge orgId={one.id} name={one.name} /> : <AllChainsBadge />;
}

/** The alarms of all organizations the user can see; shares its cache with the banner. */
const useAlarms = () => useQuery(useTRPC().integrity.alarms.queryOptions(undefined, { refetchInterval: POLL_MS }));

function OneChainBadge({ orgId, name }: { orgId: string; name: string }) {
  const { zone } = useZone();
  const alarms = useAlarms();
  const status = useQuery(useTRPC().integrity.status.queryOptions({ orgId }, { refetchInterval: POLL_MS }));
  const { data } = status;
  const isBroken = alarms.data?.some((alarm) => alarm.orgId === orgId) ?? false;
  const summary = summaryOfOne({ isBroken, name, chain: data?.state });
  const sentence = data ? `${summary.sentence}, ${checkedText(data, zone)}` : summary.sentence;
  return <Badge summary={{ ...summary, sentence }} query={status} href={`/integrity?orgId=${orgId}`} />;
}

function AllChainsBadge() {
  const alarms = useAlarms();
  const chains = useQuery(
    useTRPC().organizations.chains.queryOptions(undefined, { refetchInterval: COUNTS_POLL_MS, staleTime: POLL_MS }),
  );
  const summary = summaryOfAll(chains.data ?? [], alarms.data?.length ?? 0);
  return <Badge summary={summary} query={isUnread(alarms) ? alarms : chains} href="/customers?show=chain" />;
}

type Query = { isError: boolean; isPaused: boolean; error: unknown; dataUpdatedAt: number };

/** True for a query that failed or waits for the network: its data, if any, is of an earlier time. */
const isUnread = ({ isError, isPaused }: Query): boolean => isError || isPaused;

/** query: what the summary was read by. */
type BadgeProps = { summary: ChainSummary; query: Query; href: string };

function Badge({ summary, query, href }: BadgeProps) {
  const { zone } = useZone();
  const { state, word, sentence } = isUnread(query)
    ? unread(summary, {
        reason: readErrorText(query.error),
        readAt: query.dataUpdatedAt > 0 ? dateTime(new Date(query.dataUpdatedAt), zone) : null,
      })
    : summary;
  const Icon = { intact: ShieldCheck, broken: ShieldX, unproven: ShieldQuestionMark, unknown: Shield }[state];
  return (
    <Tip label={sentence}>
      <Link
        href={href}
        className={classes.badge}
        data-state={state}
        aria-label={`${word}. ${sentence}`}
        prefetch={false}
      >
        <Icon size={16} strokeWidth={1.75} aria-hidden />
        <span>{word}</span>
      </Link>
    </Tip>
  );
}

/** "13,216 entries checked on 20 Nov 2026, 03:10:02, anchored until entry 13,216 of 20 Nov 2026, 18:35:01" */
function checkedText({ last, anchored }: Outputs["integrity"]["status"], zone: string): string {
  const checked = last && `${count(last.rowsChecked)} entries checked on ${dateTime(last.ranAt, zone)}`;
  const until = anchored ? `entry ${count(anchored.seq)} of ${dateTime(anchored.signedAt, zone)}` : "nothing yet";
  return [checked, `anchored until ${until}`].filter(Boolean).join(", ");
}

type One = { isBroken: boolean; name: string; chain: Outputs["integrity"]["status"]["state"] | undefined };

function summaryOfOne({ isBroken, name, chain }: One): ChainSummary {
  const subject = `The audit chain of ${name}`;
  if (isBroken || chain?.status === "broken")
    return { state: "broken", word: "Broken", sentence: `${subject} is broken` };
  if (chain?.status === "intact")
    return {
      state: "intact",
      word: "Intact",
      sentence: `${subject} is intact through entry ${count(chain.throughSeq ?? 0)}`,
    };
  if (chain?.status === "unproven") {
    const why = chain.reasons.join(" ").replace(/\.$/, "");
    return { state: "unproven", word: "Not proven", sentence: `${subject} is not proven: ${why}` };
  }
  return { state: "unknown", word: "Integrity", sentence: chain ? `${name} has no entries yet` : "Not known yet" };
}
