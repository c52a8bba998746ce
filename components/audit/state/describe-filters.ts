import { counted } from "@/components/format/amounts";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { splitValues } from "@/server/audit/query/values";
import { FROM_START, type View } from "./address";
import { labelOf, valueLabel } from "./labels";
import { exclusionsOf, hidesRoutine, include, isRoutine } from "./narrow";

type Chip = { key: string; name: string; value: string; clear: Partial<View> };

/** "Failure or Denied"; "user.login or 2 others" for more than two values. */
const describeValues = (values: string[]): string =>
  values.length > 2 ? `${values[0]} or ${counted(values.length - 1, "other")}` : values.join(" or ");

/** The active filters as text, with names for ids. The organization is omitted: it is selected elsewhere. */
export function chipsOf(view: View, names?: ReadonlyMap<string, string>, catalogue: Catalogue = FILTERS): Chip[] {
  const values = new Map<string, unknown>(Object.entries(view));
  const filters = Object.entries(catalogue).flatMap(([name, { label, match }]): Chip[] => {
    const value = values.get(name);
    if (typeof value !== "string" || !value || (name === "orgId" && !value.includes(","))) return [];
    const words =
      match === "words"
        ? value
        : describeValues(splitValues(value).map((one) => valueLabel({ name, value: one }, names, catalogue)));
    return words ? [{ key: name, name: label, value: words, clear: { [name]: null, ...FROM_START } }] : [];
  });
  const excluded = exclusionsOf(view, catalogue)
    .filter((exclusion) => !(hidesRoutine(view) && isRoutine(exclusion)))
    .map((exclusion) => ({
      key: `-${exclusion.name}:${exclusion.value}`,
      name: `Without ${labelOf(exclusion.name, catalogue).toLowerCase()}`,
      value: valueLabel(exclusion, names, catalogue),
      clear: include(view, [exclusion]),
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
