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
import type { ChainCounts } from "@/server/organizations/overview/schema";
import classes from "./integrity-badge.module.css";

/** State, word and full sentence of the header badge. */
export type ChainSummary = { state: "intact" | "broken" | "unproven" | "unknown"; word: string; sentence: string };

const STATE: Record<ChainCounts[number]["status"], ChainSummary["state"]> = {
  broken: "broken",
  unproven: "unproven",
  not_checked: "unproven",
  intact: "intact",
  empty: "unknown",
};
const STATUS_LABEL: Record<ChainCounts[number]["status"], string> = {
  broken: "broken",
  unproven: "not proven",
  not_checked: "not checked",
  intact: "intact",
  empty: "without entries",
};

/**
 * Summary when the state can no longer be read: shows the last reading with its time; a break stays a break.
 * @param last the summary of the last reading, made at `readAt`; null if part of it was never read
 */
export function unread(
  last: ChainSummary,
  { reason, readAt }: { reason: string; readAt: string | null },
): ChainSummary {
  if (last.state === "broken") return last;
  const before = last.state === "unknown" || readAt === null ? "" : ` Last read on ${readAt}: ${last.sentence}.`;
  const sentence = `The state of the audit chain could not be read. ${reason}${before}`;
  return { state: "unknown", word: "Not known", sentence };
}

/**
 * The worst state of several chains and their number: "1 broken", "2 not proven", "All 5 intact". Alarms are polled
 * more often than the counts, so a new alarm takes precedence.
 * @param counts per state, worst first; empty until known
 */
export function summaryOfAll(counts: ChainCounts, alarms: number): ChainSummary {
  const known = counts.filter((one) => one.count > 0);
  const broken = known.find(({ status }) => status === "broken")?.count ?? 0;
  // It is unknown which state the newly broken chains were counted in.
  const all = alarms > broken ? [{ status: "broken" as const, count: alarms }] : known;
  const [worst, ...others] = all;
  if (!worst || worst.status === "empty") {
    const sentence = counts.length > 0 ? "No organization has entries yet" : "Not known yet";
    return { state: "unknown", word: "Integrity", sentence: sentence };
  }
  const isAll = all === known && worst.count > 1 && others.every(({ status }) => status === "empty");
  const parts = all.map(({ status, count: n }) => `${count(n)} ${STATUS_LABEL[status]}`);
  return {
    state: STATE[worst.status],
    word: `${isAll ? "All " : ""}${count(worst.count)} ${STATUS_LABEL[worst.status]}`,
    sentence: `Audit chains: ${parts.join(", ")}`,
  };
}

const POLL_MS = 60_000;
/** Counts change slowly; new problems show up as alarms, which are polled more often. */
const COUNTS_POLL_MS = 5 * 60_000;

/**
 * The state of the chain in every page's header. Links to its integrity page, or to Organizations when there are several.
 */
export function IntegrityBadge() {
  const { one } = useOrg();
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
  return <Badge summary={summary} query={isUnread(alarms) ? alarms : chains} href="/organizations?show=chain" />;
}

type Query = { isError: boolean; isPaused: boolean; error: unknown; dataUpdatedAt: number };

/** True for a query that failed or waits for the network: its data, if any, is of an earlier time. */
const isUnread = ({ isError, isPaused }: Query): boolean => isError || isPaused;

const SIGN = {
  intact: [ShieldCheck, "good"],
  broken: [ShieldX, "bad"],
  unproven: [ShieldQuestionMark, "warn"],
  unknown: [Shield, "off"],
} as const;

/** query: the query of the summary. */
type BadgeProps = { summary: ChainSummary; query: Query; href: string };

function Badge({ summary, query, href }: BadgeProps) {
  const { zone } = useZone();
  const { state, word, sentence } = isUnread(query)
    ? unread(summary, {
        reason: readErrorText(query.error),
        readAt: query.dataUpdatedAt > 0 ? dateTime(new Date(query.dataUpdatedAt), zone) : null,
      })
    : summary;
  const [Icon, tone] = SIGN[state];
  return (
    <Tip label={sentence}>
      <Link
        href={href}
        className={classes.badge}
        data-state={state}
        data-tone={tone}
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
