import { actorOf, type Entry, sentenceText } from "@/components/audit/entry";
import { actorIdOf } from "@/components/audit/filters/field-labels";
import type { View } from "@/components/audit/filters/filters";
import { type Field, leaveOut, only } from "@/components/audit/filters/narrow";
import { FROM_START } from "@/components/audit/filters/set-view";
import { toChange } from "@/components/audit/views/view-query";
import { dateTime } from "@/components/format/time";
import { ACTOR_TYPE_LABEL, RESULT_LABEL } from "@/server/audit/vocabulary";
import { type CellContext, deviceOf } from "./columns";
import type { ColumnId } from "./table-params";

/** Where one can go from a cell: another question to the log, or the clipboard. */
export type Pivot = { label: string; change: Partial<View> } | { label: string; copy: string };

/** What stands in a cell: its text, and the field and value that narrow by it. */
type Cell = { text: string; field?: Field; value?: string | null };

const AROUND_MS = 5 * 60_000;
const GUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

type Context = Pick<CellContext, "zone" | "orgName">;

const CELL: Record<ColumnId, (entry: Entry, context: Context) => Cell> = {
  time: ({ timestamp }, { zone }) => ({ text: dateTime(timestamp, zone) }),
  type: ({ actorType }) => ({ text: ACTOR_TYPE_LABEL[actorType], field: "type", value: actorType }),
  event: (entry) => ({ text: actorOf(entry), field: "actorId", value: actorIdOf(entry) }),
  action: ({ action }) => ({ text: action, field: "action", value: action }),
  org: ({ orgId }, { orgName }) => ({ text: orgName(orgId), field: "org", value: orgId }),
  resourceType: ({ resource }) => ({ text: resource.type, field: "resourceType", value: resource.type }),
  device: (entry) => ({ text: deviceOf(entry) }),
  ip: ({ ipAddress }) => ({ text: ipAddress, field: "ip", value: ipAddress }),
  email: (entry) => ({ text: entry.user.email, field: "actorId", value: actorIdOf(entry) }),
  seq: ({ chainSeq }) => ({ text: String(chainSeq) }),
  result: ({ result }) => ({ text: RESULT_LABEL[result], field: "result", value: result }),
};

/** The text of a cell, as people read it. */
export const cellText = (entry: Entry, column: ColumnId, context: Context): string => CELL[column](entry, context).text;

function ofCell(entry: Entry, column: ColumnId, view: View, context: Context): Pivot[] {
  const { text, field, value } = CELL[column](entry, context);
  if (!text) return [];
  const copy = { label: "Copy", copy: column === "event" ? sentenceText(entry) : text };
  if (field && value)
    return [
      { label: `Filter for ${text}`, change: only(field, value) },
      { label: `Filter out ${text}`, change: leaveOut(view, field, value) },
      copy,
    ];
  if (column === "device") return [{ label: `Filter for ${text}`, change: { device: text, ...FROM_START } }, copy];
  if (column === "time") return [{ label: "Show five minutes around it", change: around(entry) }, copy];
  return [copy];
}

function around({ timestamp }: Entry): Partial<View> {
  const at = Date.parse(timestamp);
  return { range: null, from: new Date(at - AROUND_MS), to: new Date(at + AROUND_MS), ...FROM_START };
}

const question = (filters: Record<string, string>) => toChange(new URLSearchParams(filters).toString());

/** Everything that the actor did within the range, whatever else narrows the list now. */
function timeline(entry: Entry): Pivot[] {
  const actorId = actorIdOf(entry);
  return actorId ? [{ label: `Timeline of ${actorOf(entry)}`, change: question({ actorId }) }] : [];
}

/** Everything that happened to the resource: by its id, or where it has none of ours by its name. */
function history({ resource: { id, name, type } }: Entry): Pivot[] {
  const label = `History of ${name || type}`;
  if (GUID.test(id)) return [{ label, change: question({ resourceId: id }) }];
  return name ? [{ label, change: question({ resource: name, resourceType: type }) }] : [];
}

/** Everything that a cell of the table leads to. */
export const pivotsOf = (entry: Entry, column: ColumnId, view: View, context: Context): Pivot[] => [
  ...ofCell(entry, column, view, context),
  ...timeline(entry),
  ...history(entry),
];

/** The same for one of an entry's facts, where each of the others has its own. */
export const pivotsOfFact = (entry: Entry, column: ColumnId, view: View, context: Context): Pivot[] => [
  ...ofCell(entry, column, view, context),
  ...(column === "event" ? timeline(entry) : []),
  ...(column === "resourceType" ? history(entry) : []),
];
