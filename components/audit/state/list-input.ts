import type { Inputs } from "@/components/trpc";
import { FILTER_NAMES } from "@/server/audit/query/catalogue";
import type { Filters, View } from "./address";
import { presetSpan, type Span } from "./range";

/** The input of the list procedure. */
export type Input = Inputs["audit"]["list"];

/**
 * The time span of the URL's range: a preset, or two ends of which either may be open. A span that ends before it
 * starts is ignored and reported on the page.
 */
export function spanOf({ range, from, to }: Pick<Filters, "range" | "from" | "to">, zone: string, now: Date): Span {
  if (range) return presetSpan(range, zone, now);
  return from && to && from > to ? {} : { from: from ?? undefined, to: to ?? undefined };
}

/** True when the range has no end, so that new entries can appear. */
export const isOpenEnded = (view: View): boolean => spanOf(view, "UTC", new Date(0)).to === undefined;

/** True while the list is live: requested in the URL, on the first page, and with a range that has no end. */
export const isLive = (view: View): boolean => view.live !== null && view.cursor === null && isOpenEnded(view);

/** The list procedure's input for a view. The total is not counted: the list is paged by cursor. */
export function toListInput(view: View, zone: string, now: Date): Input {
  const { from, to } = spanOf(view, zone, now);
  const filters = FILTER_NAMES.map((name) => [name, view[name]]);
  const input = {
    ...Object.fromEntries(filters),
    exclude: view.exclude,
    excludeActions: view.excludeActions,
    from: from?.toISOString(),
    to: to?.toISOString(),
    cursor: view.cursor,
    skipCount: true,
  };
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== null));
}
