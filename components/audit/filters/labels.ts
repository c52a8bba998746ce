import { type Entry, nameInWords } from "@/components/audit/entry";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";

/** What people call a filter. */
export const labelOf = (name: string, catalogue: Catalogue = FILTERS): string => catalogue[name]?.label ?? name;

/** What people call a value of a filter; codes, addresses and ids as they are, unless a name is known. */
export const valueLabel = (
  { name, value }: { name: string; value: string },
  names?: ReadonlyMap<string, string>,
  catalogue: Catalogue = FILTERS,
): string => catalogue[name]?.choices?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The id that stands for an entry's actor in the address; null where the entry names none. */
export function actorIdOf(entry: Entry): string | null {
  return rawActorOf(entry) ?? (/^[0-]+$/.test(entry.user.id) ? null : entry.user.id);
}

/** The names of actors and resources by their ids, as entries give them, and what is known by name anyway. */
export function namesOf(entries: Entry[], known: readonly { id: string; name: string }[] = []): Map<string, string> {
  const names = new Map(known.map(({ id, name }) => [id, name]));
  for (const entry of entries) {
    const actor = actorIdOf(entry);
    const called = nameInWords(entry.user.name) || entry.user.email;
    if (actor && called && !names.has(actor)) names.set(actor, called);
    const { id, name } = entry.resource;
    if (id && name && !names.has(id)) names.set(id, name);
  }
  return names;
}
