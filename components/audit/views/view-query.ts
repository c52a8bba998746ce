import { createLoader } from "nuqs/server";
import { type FilterParam, type Filters, filterParsers, type View } from "@/components/audit/filters/address";
import { presentParams } from "@/server/audit/query/old-address";
import { keysOf } from "@/server/records";

const RANGE: readonly FilterParam[] = ["range", "from", "to"];
const isRange = (name: FilterParam) => RANGE.includes(name);

/** What a view asks for: the filter part of an address, such as action=user.login&result=denied. */
export type ViewQuery = string;

/** The built-in views. They filter by kind only: the range stays as it is. */
export const BUILT_IN: readonly { name: string; query: ViewQuery }[] = [
  { name: "Failed sign-ins", query: "action=user.login.failed" },
  { name: "Denied actions", query: "result=denied" },
  { name: "Permission changes", query: "action=user.permission" },
  { name: "Device deletions", query: "action=device.delete" },
  { name: "Exports", query: "action=export" },
  { name: "Agent IP changes", query: "action=agent.source.ip.changed" },
];

/** The filters of what is shown, with or without its range, always in the same order. */
export function toQuery(view: View, withRange: boolean): ViewQuery {
  const query = new URLSearchParams();
  for (const name of keysOf(filterParsers)) {
    const value = view[name];
    if (value !== null && (withRange || !isRange(name))) query.set(name, filterParsers[name].serialize(value as never));
  }
  return query.toString();
}

/** True when the list is narrowed by something else than time. */
export const isNarrowed = (view: View): boolean => toQuery(view, false) !== "";

/** True when the list, or a view, is narrowed by time. */
export const hasRange = (view: Partial<View>): boolean => RANGE.some((name) => (view[name] ?? null) !== null);

const loadFilters = createLoader(filterParsers);
const parseQuery = (query: ViewQuery): Filters => loadFilters(presentParams(new URLSearchParams(query)));

/**
 * The change of the address that shows a view: filters that are not its own are cleared. The range is cleared only if the view has its own.
 * What a view holds that is no filter any more is left out, as in any address.
 */
export function toChange(query: ViewQuery): Partial<View> {
  const typed = parseQuery(query);
  const { range: _, from: __, to: ___, ...others } = typed;
  return { ...(hasRange(typed) ? typed : others), cursor: null, row: null };
}

/** What a view asks for once it is given what is shown: a range only where it had one, or where nothing else narrows. */
export const replaced = (view: View, query: ViewQuery): ViewQuery =>
  toQuery(view, hasRange(parseQuery(query)) || !isNarrowed(view));

/** True when what is shown is what the view asks for. */
export function isShown(view: View, query: ViewQuery): boolean {
  const typed = parseQuery(query);
  const withRange = hasRange(typed);
  return toQuery(view, withRange) === toQuery({ ...view, ...typed }, withRange);
}
