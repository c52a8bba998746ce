import type { Inputs } from "@/components/trpc";
import { FILTER_NAMES } from "@/server/audit/query/catalogue";
import type { Filters, View } from "./address";
import { presetSpan, type Span } from "./range";

/** What the list's procedure takes. */
export type Input = Inputs["audit"]["list"];

/**
 * The instants that the address asks for: a preset, or two ends of which either may be open. A range that ends before it
 * begins is none: the page says that it is ignored.
 */
export function spanOf({ range, from, to }: Pick<Filters, "range" | "from" | "to">, zone: string, now: Date): Span {
  if (range) return presetSpan(range, zone, now);
  return from && to && from > to ? {} : { from: from ?? undefined, to: to ?? undefined };
}

/** True for a view in which new entries can appear: its range has no end. */
export const isOpenEnded = (view: View): boolean => spanOf(view, "UTC", new Date(0)).to === undefined;

/** True while the list follows the log: on its newest page, with a range that has no end. */
export const isLive = (view: View): boolean => view.live !== null && view.cursor === null && isOpenEnded(view);

/** The procedure's input for a view, values as the address writes them. Counting is left out: the list is paged by cursor. */
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
