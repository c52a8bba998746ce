import { EXCLUDED_BARE, type Exclusion, type FilterName } from "@/server/audit/query/catalogue";
import { joinValues } from "@/server/audit/query/values";
import { ACTOR_TYPE_LABEL } from "@/server/audit/vocabulary";
import { GUID } from "@/server/ground/text";
import { exclusionsOf, FROM_START, partsOf, ROUTINE, type View } from "./view";

const toList = (parts: string[]): string | null => joinValues(parts) || null;

/** The exclusions as URL parameters, without duplicates; null when there are none. */
export function excluding(exclusions: readonly Exclusion[]): { exclude: string | null; excludeActions: string | null } {
  const bare = exclusions.filter(({ name }) => name === EXCLUDED_BARE);
  const others = exclusions.filter(({ name }) => name !== EXCLUDED_BARE);
  return {
    excludeActions: toList(bare.map(({ value }) => value)),
    exclude: toList(others.map(({ name, value }) => `${name}:${value}`)),
  };
}

/** The filter for a value: an actor without a UUID is filtered by raw id, one without any id by its type. */
export function filterFor(name: FilterName, value: string): FilterName {
  if (name !== "actorId" || GUID.test(value)) return name;
  return value in ACTOR_TYPE_LABEL ? "actorType" : "rawActorId";
}

/** The view change that filters by exactly one value. */
export const setFilter = (name: FilterName, value: string): Partial<View> => ({
  ...clearFilter(name),
  [filterFor(name, value)]: joinValues([value]),
});

const valuesIn = (view: Partial<View>, name: FilterName): string[] => partsOf(view[name]);

/**
 * View change that adds or removes a filter's value, ending its exclusion. Actors by id, raw id and type are different
 * filters that never match together, so they replace each other.
 */
export function toggleValue(view: View, name: FilterName, value: string): Partial<View> {
  const filter = filterFor(name, value);
  const values = valuesIn(view, filter);
  const isSelected = values.includes(value);
  const rest = values.filter((one) => one !== value);
  return {
    ...include(view, [{ name, value }]),
    ...(!isSelected && clearFilter(name)),
    [filter]: toList(isSelected ? rest : [...values, value]),
    ...FROM_START,
  };
}

/** The view change that removes a filter. */
export const clearFilter = (name: FilterName): Partial<View> => ({
  [name]: null,
  ...(name === "actorId" && { rawActorId: null }),
  ...FROM_START,
});

export const isSetTo = (view: View, name: FilterName, value: string): boolean =>
  valuesIn(view, filterFor(name, value)).includes(value);

/** The view change that excludes a value. */
export function exclude(view: View, name: FilterName, value: string): Partial<View> {
  const excluded = filterFor(name, value) === "actorType" ? "actorType" : name;
  return {
    ...(isSetTo(view, name, value) && toggleValue(view, name, value)),
    ...excluding([...exclusionsOf(view), { name: excluded, value }]),
    ...FROM_START,
  };
}

export function include(view: View, exclusions: readonly Exclusion[]): Partial<View> {
  const isIncluded = (one: Exclusion) => exclusions.some((e) => e.name === one.name && e.value === one.value);
  return { ...excluding(exclusionsOf(view).filter((one) => !isIncluded(one))), ...FROM_START };
}

/** The view change that hides or shows routine telemetry. */
export const hideRoutine = (view: View, hide: boolean): Partial<View> =>
  hide ? { ...excluding([...exclusionsOf(view), ...ROUTINE]), ...FROM_START } : include(view, ROUTINE);
