import type { Entry } from "@/components/audit/entry";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL } from "@/server/audit/vocabulary";
import type { View } from "./filters";
import type { Field } from "./narrow";

export const FIELD_LABEL: Record<Field, string> = {
  category: "Category",
  action: "Action",
  type: "Actor type",
  actorId: "Actor",
  result: "Result",
  resourceType: "Resource type",
  org: "Organization",
  ip: "Address",
};

const VALUE_LABEL: Partial<Record<Field, Record<string, string>>> = {
  category: CATEGORY_LABEL,
  type: ACTOR_TYPE_LABEL,
  result: RESULT_LABEL,
};

/** What people call a value of a field; codes, addresses and ids as they are, unless a name is known. */
export const valueLabel = (field: Field, value: string, names?: Map<string, string>): string =>
  VALUE_LABEL[field]?.[value] ?? names?.get(value) ?? value;

const rawActorOf = ({ details }: Entry) => (typeof details.rawActorId === "string" ? details.rawActorId : null);

/** The id that stands for an entry's actor in the address; null where the entry names none. */
export function actorIdOf(entry: Entry): string | null {
  return rawActorOf(entry) ?? (/^[0-]+$/.test(entry.user.id) ? null : entry.user.id);
}

/** The names of the ids that narrow a view, as the entries that it shows tell them. */
export function namesOf(view: View, entries: Entry[]): Map<string, string> {
  const names = new Map<string, string>();
  for (const entry of entries) {
    const actor = actorIdOf(entry);
    if (actor && !names.has(actor)) names.set(actor, entry.user.name);
    if (entry.resource.id === view.resourceId && entry.resource.name && !names.has(entry.resource.id))
      names.set(entry.resource.id, entry.resource.name);
  }
  return names;
}
