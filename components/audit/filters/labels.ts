import type { Entry } from "@/components/audit/entry";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import type { View } from "./address";

/** What people call a filter. */
export const labelOf = (name: string, catalogue: Catalogue = FILTERS): string => catalogue[name]?.label ?? name;

/** What people call a value of a filter; codes, addresses and ids as they are, unless a name is known. */
export const valueLabel = (
  name: string,
  value: string,
  names?: ReadonlyMap<string, string>,
  catalogue: Catalogue = FILTERS,
): string => catalogue[name]?.choices?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The id that stands for an entry's actor in the address; null where the entry names none. */
export function actorIdOf(entry: Entry): string | null {
  return rawActorOf(entry) ?? (/^[0-]+$/.test(entry.user.id) ? null : entry.user.id);
}

/** The names of the ids that narrow a view, as the entries that it shows tell them, and what is known by name anyway. */
export function namesOf(
  view: View,
  entries: Entry[],
  known: readonly { id: string; name: string }[] = [],
): Map<string, string> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  for (const entry of entries) {
    const actor = actorIdOf(entry);
    if (actor && !names.has(actor)) names.set(actor, entry.user.name);
    if (entry.resource.id === view.resourceId && entry.resource.name && !names.has(entry.resource.id))
      names.set(entry.resource.id, entry.resource.name);
  }
  return names;
}
