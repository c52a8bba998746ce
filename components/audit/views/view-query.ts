import { createLoader } from "nuqs/server";
import { type FilterParam, type Filters, filterParsers, type View } from "@/components/audit/state/view";
import { keysOf } from "@/server/ground/records";

const RANGE: readonly FilterParam[] = ["range", "from", "to"];
const isRange = (name: FilterParam) => RANGE.includes(name);

/** A view's filters as URL parameters, such as action=user.login&result=denied. */
export type ViewQuery = string;

/** The built-in views. They have no range, so the current one is kept. */
export const BUILT_IN: readonly { name: string; query: ViewQuery }[] = [
  { name: "Failed sign-ins", query: "action=user.login.failed" },
  { name: "Denied actions", query: "result=denied" },
  { name: "Permission changes", query: "action=user.permission" },
  { name: "Device deletions", query: "action=device.delete" },
  { name: "Exports", query: "action=export" },
  { name: "Agent IP changes", query: "action=agent.source.ip.changed" },
];

/** The current filters, with or without the range, in a fixed order. */
export function toQuery(view: View, withRange: boolean): ViewQuery {
  const query = new URLSearchParams();
  for (const name of keysOf(filterParsers)) {
    const value = view[name];
    if (value !== null && (withRange || !isRange(name))) query.set(name, filterParsers[name].serialize(value as never));
  }
  return query.toString();
}

/** True when the list has a filter other than the range. */
export const isNarrowed = (view: View): boolean => toQuery(view, false) !== "";

export const hasRange = (view: Partial<View>): boolean => RANGE.some((name) => (view[name] ?? null) !== null);

const loadFilters = createLoader(filterParsers);
const parseQuery = (query: ViewQuery): Filters => loadFilters(new URLSearchParams(query));

/**
 * The view change that applies a saved view: other filters are cleared, and the range only if the view has its own. As
 * in any URL, parameters that are no longer filters are ignored.
 */
export function toChange(query: ViewQuery): Partial<View> {
  const typed = parseQuery(query);
  const { range: _, from: __, to: ___, ...others } = typed;
  return { ...(hasRange(typed) ? typed : others), cursor: null, row: null };
}

/**
 * The query of a view that is updated to the current filters: the range is saved only if the view had one or there is
 * no filter.
 */
export const updatedQuery = (view: View, query: ViewQuery): ViewQuery =>
  toQuery(view, hasRange(parseQuery(query)) || !isNarrowed(view));

/** True when the current filters are those of the view. */
export function isShown(view: View, query: ViewQuery): boolean {
  const typed = parseQuery(query);
  const withRange = hasRange(typed);
  return toQuery(view, withRange) === toQuery({ ...view, ...typed }, withRange);
}
