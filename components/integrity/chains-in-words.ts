import { count } from "@/components/format/amounts";
import type { ChainCounts } from "@/server/organizations/overview/schema";

/** What the header's badge says: its colour, its word, and the whole sentence. */
export type Said = { state: "intact" | "broken" | "unproven" | "unknown"; word: string; sentence: string };

const STATE: Record<ChainCounts[number]["status"], Said["state"]> = {
  broken: "broken",
  unproven: "unproven",
  not_checked: "unproven",
  intact: "intact",
  empty: "unknown",
};
const WORD: Record<ChainCounts[number]["status"], string> = {
  broken: "broken",
  unproven: "not proven",
  not_checked: "not checked",
  intact: "intact",
  empty: "without entries",
};

/**
 * The worst state of several chains and how many are in it: "1 broken", "2 not proven", "All 5 intact". An open alarm is
 * known sooner than the counts are asked for again.
 * @param counts in each state, worst first; none while they are not known
 */
export function ofAll(counts: ChainCounts, alarms: number): Said {
  const known = counts.filter((one) => one.count > 0);
  const broken = known.find(({ status }) => status === "broken")?.count ?? 0;
  // Which of the others the alarm is about is not counted yet.
  const all = alarms > broken ? [{ status: "broken" as const, count: alarms }] : known;
  const [worst, ...others] = all;
  if (!worst || worst.status === "empty") {
    const sentence = counts.length > 0 ? "No organization has entries yet" : "Not known yet";
    return { state: "unknown", word: "Integrity", sentence: sentence };
  }
  const isAll = all === known && worst.count > 1 && others.every(({ status }) => status === "empty");
  const parts = all.map(({ status, count: n }) => `${count(n)} ${WORD[status]}`);
  return {
    state: STATE[worst.status],
    word: `${isAll ? "All " : ""}${count(worst.count)} ${WORD[worst.status]}`,
    sentence: `Audit chains: ${parts.join(", ")}`,
  };
}
