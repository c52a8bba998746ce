import { count, counted } from "@/components/format/amounts";
import type { BundleRange } from "@/server/evidence/bundle/format";
import type { JudgedBundle } from "@/server/evidence/bundle/verdict";

/** The range that a bundle was created for, in words. */
export function rangeText(range: BundleRange, at: (when: string) => string): string {
  if (range.kind === "whole") return "The whole log";
  if (range.kind === "sequence") return `Entries ${count(range.first)} to ${count(range.last)}`;
  return `${range.from ? at(range.from) : "the beginning"} to ${range.to ? at(range.to) : "the end"}`;
}

/** How many entries are inside the range, and how many hashes stand for the others. */
export const countsText = ({ rowsChecked, hashesOnly }: JudgedBundle): string =>
  `${counted(rowsChecked, "entry", "entries")} inside the range, ${count(hashesOnly)} outside as hashes only`;
