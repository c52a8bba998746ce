import type { Entry } from "@/components/audit/entry";
import { counted } from "@/components/format/amounts";
import { FILTERS, type Filter, filterOf } from "@/server/audit/query/catalogue";
import { choicesOf, splitTerms, splitValues } from "@/server/audit/query/values";
import { displayName } from "@/server/audit/sentence";
import { GUID } from "@/server/ground/text";
import { include } from "./narrow";
import { PRESET_LABEL } from "./range";
import { exclusionsOf, FROM_START, hidesRoutine, isRoutine, type View } from "./view";

/** An active filter, and the view change without it. word: one searched literally. */
type Chip = { key: string; name: string; value: string; drop: (view: View) => Partial<View>; word?: string };

/** "Failure or Denied"; "user.login or 2 others" for more than two values. */
const describeValues = (values: string[]): string =>
  values.length > 2 ? `${values[0]} or ${counted(values.length - 1, "other")}` : values.join(" or ");

/** A chip for each word and quoted phrase of a text; alternatives as "delete or remove". */
const wordChips = (name: "q", label: string, text: string): Chip[] =>
  [...new Set(splitTerms(text))].map((term) => {
    const choices = choicesOf(term);
    const rest = (view: View) => splitTerms(view[name] ?? "").filter((one) => one !== term);
    return {
      key: `${name} ${term}`,
      name: label,
      value: choices.length > 1 ? describeValues(choices.map((one) => one.trim())) : term,
      drop: (view) => ({ [name]: rest(view).join(" ") || null, ...FROM_START }),
      ...(/^[^"|]+$/.test(term) && { word: term }),
    };
  });

/** The active filters as text, with names for ids. The organization is omitted: it is selected elsewhere. */
export function chipsOf(view: View, names?: ReadonlyMap<string, string>): Chip[] {
  const values = new Map<string, unknown>(Object.entries(view));
  const filters = Object.entries<Filter>(FILTERS).flatMap(([name, { label, match }]): Chip[] => {
    const value = values.get(name);
    if (typeof value !== "string" || !value || (name === "orgId" && !value.includes(","))) return [];
    if (match === "words") return wordChips("q", label, value);
    const words = describeValues(splitValues(value).map((one) => valueLabel({ name, value: one }, names)));
    return words ? [{ key: name, name: label, value: words, drop: () => ({ [name]: null, ...FROM_START }) }] : [];
  });
  const excluded = exclusionsOf(view)
    .filter((exclusion) => !(hidesRoutine(view) && isRoutine(exclusion)))
    .map((exclusion) => ({
      key: `-${exclusion.name}:${exclusion.value}`,
      name: `Without ${labelOf(exclusion.name).toLowerCase()}`,
      value: valueLabel(exclusion, names),
      drop: (from: View) => include(from, [exclusion]),
    }));
  return [...filters, ...excluded];
}

/** The filters as text for an export or a printout, including the routine telemetry switch. */
export const describeFilters = (view: View, names?: ReadonlyMap<string, string>): string[] => [
  ...chipsOf(view, names).map((chip) => `${chip.name}: ${chip.value}`),
  ...(hidesRoutine(view) ? ["Without routine agent telemetry"] : []),
];

type Named = readonly { name: string }[];

/** The organizations covered by an export or a printout; all of them when none is selected. */
export const describeOrganizations = (chosen: Named, all: Named): string =>
  chosen.length > 0 && chosen.length < all.length
    ? chosen.map(({ name }) => name).join(", ")
    : `All organizations (${all.length})`;

export const labelOf = (name: string): string => filterOf(name)?.label ?? name;

/** The label of a filter's value: the choice's label or a known name; otherwise the value itself. */
export const valueLabel = (
  { name, value }: { name: string; value: string },
  names?: ReadonlyMap<string, string>,
): string => filterOf(name)?.choices?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The zero UUID stands for an id that is not a UUID. */
const uuidOf = (id: string): string | null => (GUID.test(id) && !/^[0-]+$/.test(id) ? id : null);

/** The id by which the URL filters for an entry's actor; null when the entry has none. */
export const actorIdOf = (entry: Entry): string | null => rawActorOf(entry) ?? uuidOf(entry.user.id);

/** The id by which the URL filters for an entry's resource; null when it has none, or one of another system. */
export const resourceIdOf = ({ resource }: Entry): string | null => uuidOf(resource.id);

/** Names of actors and resources by id, taken from the entries, on top of those already known. */
export function namesOf(entries: Entry[], known: readonly { id: string; name: string }[] = []): Map<string, string> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  for (const entry of entries) {
    const actor = actorIdOf(entry);
    const called = displayName(entry.user.name) || entry.user.email;
    if (actor && called && !names.has(actor)) names.set(actor, called);
    const { name } = entry.resource;
    const id = resourceIdOf(entry);
    if (id && name && !names.has(id)) names.set(id, name);
  }
  return names;
}

const MAX_LENGTH = 80;

/** The document title: filters and range first, then the page's name. */
export function titleOf(view: View, names?: ReadonlyMap<string, string>): string {
  const range = view.range ? PRESET_LABEL[view.range] : view.from || view.to ? "Custom range" : null;
  const filters = [
    ...chipsOf(view, names).map(({ name, value }) => (name.startsWith("Without") ? `not ${value}` : value)),
    range,
  ];
  const said = filters.filter(Boolean).join(", ");
  const short = said.length > MAX_LENGTH ? `${said.slice(0, MAX_LENGTH)}…` : said;
  return short ? `${short} · Audit log` : "Audit log";
}
