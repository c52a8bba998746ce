import { displayName, type Entry } from "@/components/audit/entry";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";

/** A filter's label. */
export const labelOf = (name: string, catalogue: Catalogue = FILTERS): string => catalogue[name]?.label ?? name;

/** The label of a filter's value: the choice's label or a known name; otherwise the value itself. */
export const valueLabel = (
  { name, value }: { name: string; value: string },
  names?: ReadonlyMap<string, string>,
  catalogue: Catalogue = FILTERS,
): string => catalogue[name]?.choices?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The id by which the URL filters for an entry's actor; null when the entry has none. */
export function actorIdOf(entry: Entry): string | null {
  return rawActorOf(entry) ?? (/^[0-]+$/.test(entry.user.id) ? null : entry.user.id);
}

/** Names of actors and resources by id, taken from the entries, on top of those already known. */
export function namesOf(entries: Entry[], known: readonly { id: string; name: string }[] = []): Map<string, string> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  for (const entry of entries) {
    const actor = actorIdOf(entry);
    const called = displayName(entry.user.name) || entry.user.email;
    if (actor && called && !names.has(actor)) names.set(actor, called);
    const { id, name } = entry.resource;
    if (id && name && !names.has(id)) names.set(id, name);
  }
  return names;
}
