import type { BundleRange } from "@/server/evidence/bundle/format";
import { toSlug } from "@/server/ground/text";

const DAY_START = "T00:00:00.000Z";
const DAY_END = "T23:59:59.999Z";

/** The end of a range of time: a day where it begins or ends one, else with hours and minutes. */
const momentOf = (at: string, whole: string): string =>
  at.endsWith(whole) ? at.slice(0, 10) : `${at.slice(0, 10)}T${at.slice(11, 16).replace(":", "")}Z`;

const lastDayOf = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).toISOString().slice(0, 10);

function rangeOf(range: BundleRange): string {
  if (range.kind === "whole") return "whole-log";
  if (range.kind === "sequence") return `entries-${range.first}-to-${range.last}`;
  const { from, to } = range;
  const month = from?.slice(0, 7) ?? "";
  if (from === `${month}-01${DAY_START}` && to === `${lastDayOf(month)}${DAY_END}`) return month;
  const [first, last] = [from && momentOf(from, DAY_START), to && momentOf(to, DAY_END)];
  if (first && first === last) return first;
  if (!last) return `from-${first}`;
  return first ? `${first}-to-${last}` : `to-${last}`;
}

/** What a bundle's file is called: organization, range and, where the range is open, the day it was made. */
export function fileNameOf(organization: string, range: BundleRange, createdAt: string): string {
  const isOpen = range.kind === "whole" || (range.kind === "time" && range.to === null);
  return `evidence-${toSlug(organization)}-${rangeOf(range)}${isOpen ? `-${createdAt.slice(0, 10)}` : ""}.ndjson`;
}
