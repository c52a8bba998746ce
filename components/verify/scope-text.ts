import { count, counted } from "@/components/format/amounts";
import type { BundleRange } from "@/server/evidence/bundle/format";
import type { JudgedBundle } from "@/server/evidence/bundle/verdict";

/** The range that a bundle was created for, in words. */
export function rangeText(range: BundleRange, at: (when: string) => string): string {
  if (range.kind === "whole") return "The whole log";
  if (range.kind === "sequence") return `Entries ${count(range.first)} to ${count(range.last)}`;
  return `${range.from ? at(range.from) : "the beginning"} to ${range.to ? at(range.to) : "the end"}`;
}

/** How many entries are inside the range, and what else the file contains. */
export function countsText({ version, rowsChecked, inside, hashesOnly }: JudgedBundle): string {
  const within = `${counted(inside, "entry", "entries")} inside the range`;
  if (version === 2) return `${within}, ${count(hashesOnly)} outside as hashes only`;
  return rowsChecked > inside ? `${within}, ${count(rowsChecked - inside)} outside it in the file` : within;
}
