import {
  type Catalogue,
  EXCLUDED_BARE,
  type Exclusion,
  FILTERS,
  type FilterName,
  toExclusion,
} from "@/server/audit/query/catalogue";
import { joinValues, splitValues } from "@/server/audit/query/value-list";
import { ACTOR_TYPE_LABEL, ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { GUID } from "@/server/text";
import { FROM_START, type View } from "./address";

type Excluding = { exclude?: string | null; excludeActions?: string | null };

const partsOf = (list: string | null | undefined): string[] => splitValues(list ?? "");
const toList = (parts: string[]): string | null => joinValues(parts) || null;

/** What the address excludes. */
export const exclusionsOf = ({ exclude, excludeActions }: Excluding, catalogue: Catalogue = FILTERS): Exclusion[] => [
  ...partsOf(excludeActions).map((value) => ({ name: EXCLUDED_BARE, value })),
  ...partsOf(exclude).flatMap((part) => toExclusion(part, catalogue) ?? []),
];

/** The same as the address holds it, each once; null where nothing is excluded. */
export function excluding(exclusions: readonly Exclusion[]): { exclude: string | null; excludeActions: string | null } {
  const bare = exclusions.filter(({ name }) => name === EXCLUDED_BARE);
  const others = exclusions.filter(({ name }) => name !== EXCLUDED_BARE);
  return {
    excludeActions: toList(bare.map(({ value }) => value)),
    exclude: toList(others.map(({ name, value }) => `${name}:${value}`)),
  };
}

/** The filter that takes a value: an actor without a UUID has a separate filter, an actor without any id only its type. */
export function filterFor(name: FilterName, value: string): FilterName {
  if (name !== "actorId" || GUID.test(value)) return name;
  return value in ACTOR_TYPE_LABEL ? "actorType" : "rawActorId";
}

/** The change that narrows the list to one value of a filter. */
export const setFilter = (name: FilterName, value: string): Partial<View> => ({
  ...clearFilter(name),
  [filterFor(name, value)]: joinValues([value]),
});

/** The values that a view wants of a filter. */
const valuesIn = (view: Partial<View>, name: FilterName): string[] => partsOf(view[name]);

/** The change that wants a value besides those that are wanted, or no longer; it is not excluded any more. */
export function toggleValue(view: View, name: FilterName, value: string): Partial<View> {
  const filter = filterFor(name, value);
  const values = valuesIn(view, filter);
  const isWanted = values.includes(value);
  const rest = values.filter((one) => one !== value);
  return { ...include(view, [{ name, value }]), [filter]: toList(isWanted ? rest : [...values, value]), ...FROM_START };
}

/** The change that gives a filter up. */
export const clearFilter = (name: FilterName): Partial<View> => ({
  [name]: null,
  ...(name === "actorId" && { rawActorId: null }),
  ...FROM_START,
});

export const isSetTo = (view: View, name: FilterName, value: string): boolean =>
  valuesIn(view, filterFor(name, value)).includes(value);

/** The change that excludes one value. */
export function exclude(view: View, name: FilterName, value: string): Partial<View> {
  const excluded = filterFor(name, value) === "actorType" ? "actorType" : name;
  return {
    ...(isSetTo(view, name, value) && toggleValue(view, name, value)),
    ...excluding([...exclusionsOf(view), { name: excluded, value }]),
    ...FROM_START,
  };
}

/** The change that includes again what was excluded. */
export function include(view: View, exclusions: readonly Exclusion[]): Partial<View> {
  const isIncluded = (one: Exclusion) => exclusions.some((e) => e.name === one.name && e.value === one.value);
  return { ...excluding(exclusionsOf(view).filter((one) => !isIncluded(one))), ...FROM_START };
}

const ROUTINE: readonly Exclusion[] = ROUTINE_ACTIONS.map((value) => ({ name: EXCLUDED_BARE, value }));

export const isRoutine = ({ name, value }: Exclusion): boolean =>
  ROUTINE.some((routine) => routine.name === name && routine.value === value);

/** True while routine agent telemetry is hidden. */
export const hidesRoutine = (view: View): boolean => exclusionsOf(view).filter(isRoutine).length === ROUTINE.length;

/** The change that hides it, or shows it again. */
export const hideRoutine = (view: View, hide: boolean): Partial<View> =>
  hide ? { ...excluding([...exclusionsOf(view), ...ROUTINE]), ...FROM_START } : include(view, ROUTINE);
