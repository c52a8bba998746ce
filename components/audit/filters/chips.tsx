"use client";

import { CloseButton } from "@mantine/core";
import { Check } from "lucide-react";
import classes from "@/components/audit/viewer.module.css";
import { useViewer } from "@/components/audit/viewer-context";
import { counted } from "@/components/format/amounts";
import { type Catalogue, FILTERS } from "@/server/audit/query/catalogue";
import { splitValues } from "@/server/audit/query/value-list";
import type { View } from "./address";
import { FROM_START } from "./address";
import { labelOf, valueLabel } from "./labels";
import { excluding, exclusionsOf, hideRoutine, hidesRoutine, include, isRoutine } from "./narrow";

type Chip = { key: string; name: string; value: string; clear: Partial<View> };

/** "Failure or Denied", "user.login or 2 others" for several values. */
const valuesInWords = (values: string[]): string =>
  values.length > 2 ? `${values[0]} or ${counted(values.length - 1, "other")}` : values.join(" or ");

/** What narrows the list, in words; names are those of ids. The organization is chosen elsewhere. */
export function chipsOf(view: View, names?: ReadonlyMap<string, string>, catalogue: Catalogue = FILTERS): Chip[] {
  const values = new Map<string, unknown>(Object.entries(view));
  const filters = Object.entries(catalogue).flatMap(([name, { label, match }]): Chip[] => {
    const value = name === "orgId" ? null : values.get(name);
    if (typeof value !== "string" || !value) return [];
    const words =
      match === "words"
        ? value
        : valuesInWords(splitValues(value).map((one) => valueLabel(name, one, names, catalogue)));
    return words ? [{ key: name, name: label, value: words, clear: { [name]: null, ...FROM_START } }] : [];
  });
  const excluded = exclusionsOf(view, catalogue)
    .filter((exclusion) => !(hidesRoutine(view) && isRoutine(exclusion)))
    .map((exclusion) => ({
      key: `-${exclusion.name}:${exclusion.value}`,
      name: `Without ${labelOf(exclusion.name, catalogue).toLowerCase()}`,
      value: valueLabel(exclusion.name, exclusion.value, names, catalogue),
      clear: include(view, [exclusion]),
    }));
  return [...filters, ...excluded];
}

/** The filters in words for a file or a print; what the switch hides is said too. */
export const filtersInWords = (view: View, names?: ReadonlyMap<string, string>): string[] => [
  ...chipsOf(view, names).map((chip) => `${chip.name}: ${chip.value}`),
  ...(hidesRoutine(view) ? ["Without routine agent telemetry"] : []),
];

/** Everything that narrows the list, each with its way out; the noise of agents has its own switch. */
export function Chips({ names }: { names: ReadonlyMap<string, string> }) {
  const { view, setView } = useViewer();
  const chips = chipsOf(view, names);
  const hidden = hidesRoutine(view);
  const clearAll: Partial<View> = Object.assign({}, ...chips.map((chip) => chip.clear), excluding([]));
  return (
    <ul className={classes.chips} aria-label="Active filters">
      <li>
        <button
          type="button"
          className={classes.switch}
          aria-pressed={hidden}
          onClick={() => setView(hideRoutine(view, !hidden))}
        >
          {hidden && <Check size={13} aria-hidden />}
          Hide routine agent telemetry
        </button>
      </li>
      {chips.map((chip) => (
        <li key={chip.key} className={classes.chip}>
          <span className={classes.chipName}>{chip.name}</span>
          <span>{chip.value}</span>
          <CloseButton
            size={24}
            iconSize={12}
            aria-label={`Remove filter ${chip.name}: ${chip.value}`}
            onClick={() => setView(chip.clear)}
          />
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" className={classes.textButton} onClick={() => setView(clearAll)}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
