import { displayName, type Entry } from "@/components/audit/entry";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { GUID } from "@/server/ground/text";

/** A filter's label. */
export const labelOf = (name: string, catalogue: Catalogue = FILTERS): string => catalogue[name]?.label ?? name;

/** The label of a filter's value: the choice's label or a known name; otherwise the value itself. */
export const valueLabel = (
  { name, value }: { name: string; value: string },
  names?: ReadonlyMap<string, string>,
  catalogue: Catalogue = FILTERS,
): string => catalogue[name]?.choices?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The zero UUID stands for an id that is none. */
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
