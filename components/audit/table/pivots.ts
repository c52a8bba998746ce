import { aroundPath, type Entry } from "@/components/audit/entry";
import { actorIdOf, resourceIdOf } from "@/components/audit/state/describe-filters";
import { exclude, filterFor, setFilter } from "@/components/audit/state/narrow";
import { FROM_START, type View } from "@/components/audit/state/view";
import { toChange } from "@/components/audit/views/view-query";
import { FILTERS } from "@/server/audit/query/catalogue";
import { joinValues } from "@/server/audit/query/values";
import { actorOf, sentenceText } from "@/server/audit/sentence";
import { mapValues } from "@/server/ground/records";
import { type CellRef, COLUMN, type Context } from "./columns";

/** An action on a cell: change the filters, copy the value, open a page, or pin the entry. */
export type Pivot =
  | { label: string; change: Partial<View> }
  | { label: string; copy: string }
  | { label: string; path: string }
  | { label: string; pin: string };

type EntryColumn = Pick<CellRef, "entry" | "column">;

const AROUND_MS = 5 * 60_000;
function cellPivots({ entry, column }: EntryColumn, view: View, context: Context): Pivot[] {
  const { filter, ...own } = COLUMN[column];
  const text = own.text(entry, context);
  const value = own.value ? own.value(entry) : text;
  if (!text) return [];
  const copy = { label: "Copy", copy: column === "event" ? sentenceText(entry) : text };
  if (filter && value) {
    const filterOut = { label: `Filter out ${text}`, change: exclude(view, filter, value) };
    return [
      { label: `Filter for ${text}`, change: setFilter(filter, value) },
      ...("negatable" in FILTERS[filter] ? [filterOut] : []),
      copy,
    ];
  }
  if (column === "time") return [{ label: "Show five minutes around it", change: around(entry) }, copy];
  return [copy];
}

function around({ timestamp }: Entry): Partial<View> {
  const at = Date.parse(timestamp);
  return { range: null, from: new Date(at - AROUND_MS), to: new Date(at + AROUND_MS), ...FROM_START };
}

const resetTo = (filters: Record<string, string>) =>
  toChange(new URLSearchParams(mapValues(filters, (value) => joinValues([value]))).toString());

/** Everything the actor did within the range; other filters are cleared. */
function timeline(entry: Entry): Pivot[] {
  const actorId = actorIdOf(entry);
  return actorId
    ? [{ label: `Timeline of ${actorOf(entry)}`, change: resetTo({ [filterFor("actorId", actorId)]: actorId }) }]
    : [];
}

/** Everything that happened to the resource: by its id, or by its name when the id is from another system. */
function history(entry: Entry): Pivot[] {
  const { name, type } = entry.resource;
  const label = `History of ${name || type}`;
  const id = resourceIdOf(entry);
  if (id) return [{ label, change: resetTo({ resourceId: id }) }];
  return name ? [{ label, change: resetTo({ resource: name, resourceType: type }) }] : [];
}

/** Page of the cell's value. */
function page({ entry, column }: EntryColumn, context: Context): Pivot[] {
  const text = COLUMN[column === "type" ? "event" : column].text(entry, context);
  const path = column === "resourceType" ? null : COLUMN[column].page?.(entry);
  return path && text ? [{ label: `Open ${text}`, path }] : [];
}

/** All pivots of a table cell. */
export const pivotsOf = (spot: EntryColumn, view: View, context: Context): Pivot[] => [
  ...cellPivots(spot, view, context),
  ...page(spot, context),
  ...timeline(spot.entry),
  ...history(spot.entry),
  { label: "Everything around this moment", path: aroundPath(spot.entry.id) },
  { label: "Pin to compare", pin: spot.entry.id },
];

/** The pivots of a fact in the entry's details, without those that other facts already offer. */
export const pivotsOfFact = (spot: EntryColumn, view: View, context: Context): Pivot[] => [
  ...cellPivots(spot, view, context),
  ...(spot.column === "event" ? timeline(spot.entry) : []),
  ...(spot.column === "resourceType" ? history(spot.entry) : []),
];
