"use client";

import { CloseButton } from "@mantine/core";
import { Check } from "lucide-react";
import classes from "@/components/audit/viewer.module.css";
import { counted } from "@/components/format/amounts";
import { FIELD_LABEL, valueLabel } from "./field-labels";
import type { View } from "./filters";
import { any, exclusionsOf, type Field, hideRoutine, hidesRoutine, isRoutine, letIn } from "./narrow";
import { FROM_START, type SetView } from "./set-view";

type Chip = { key: string; name: string; value: string; clear: Partial<View> };

const TEXTS: [keyof View, string][] = [
  ["q", "Text"],
  ["actor", "Actor"],
  ["action", "Action"],
  ["resource", "Resource"],
  ["device", "Device"],
];
const EXACT: Field[] = ["result", "category", "type", "ip", "resourceType", "actorId"];

function actionChip({ actions }: View): Chip[] {
  const codes = actions?.split(",").filter(Boolean) ?? [];
  const value = codes.length > 2 ? `${codes[0]} and ${counted(codes.length - 1, "other")}` : codes.join(" or ");
  return value ? [{ key: "actions", name: "Action", value, clear: any("action") }] : [];
}

/** What narrows the list, in words; names are those of ids. */
export function chipsOf(view: View, names?: Map<string, string>): Chip[] {
  const texts = TEXTS.filter(([key]) => view[key]).map(([key, name]) => ({
    key,
    name,
    value: String(view[key]),
    clear: { [key]: null, ...FROM_START },
  }));
  const exact = EXACT.flatMap((field) => {
    const value = view[field as keyof View] as string | null;
    return value
      ? [{ key: field, name: FIELD_LABEL[field], value: valueLabel(field, value, names), clear: any(field) }]
      : [];
  });
  const { resourceId: id } = view;
  const resource = id
    ? [{ key: "resourceId", name: "Resource", value: names?.get(id) ?? id, clear: { resourceId: null, ...FROM_START } }]
    : [];
  const gone = exclusionsOf(view.without).filter((e) => !(hidesRoutine(view) && isRoutine(e)));
  const without = gone.map((e) => ({
    key: `-${e.field}:${e.value}`,
    name: `Without ${FIELD_LABEL[e.field].toLowerCase()}`,
    value: valueLabel(e.field, e.value, names),
    clear: letIn(view, [e]),
  }));
  return [...texts, ...actionChip(view), ...exact, ...resource, ...without];
}

/** The filters in words for a file or a print; what is hidden by the chip is told too. */
export const filtersInWords = (view: View, names?: Map<string, string>): string[] => [
  ...chipsOf(view, names).map((chip) => `${chip.name}: ${chip.value}`),
  ...(hidesRoutine(view) ? ["Without routine agent telemetry"] : []),
];

type Props = { view: View; setView: SetView; names: Map<string, string> };

/** Everything that narrows the list, each with its way out; the noise of agents has its own switch. */
export function Chips({ view, setView, names }: Props) {
  const chips = chipsOf(view, names);
  const hidden = hidesRoutine(view);
  const clearAll = Object.assign({}, ...chips.map((chip) => chip.clear), { without: null }) as Partial<View>;
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
