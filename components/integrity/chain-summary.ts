import { count } from "@/components/format/amounts";
import type { ChainCounts } from "@/server/organizations/overview/schema";

/** The header badge's state, its word, and a full sentence. */
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
 * The summary where the state can no longer be read: what was read before is told as that, and a break stays one.
 * @param last the summary of the last reading, which was at `readAt`; null where a part of it never was
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
  // It is not known yet which state the newly broken chains were counted in.
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
