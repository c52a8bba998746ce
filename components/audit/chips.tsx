"use client";

import { CloseButton } from "@mantine/core";
import { ACTOR_TYPE_LABEL, CATEGORY_LABEL, RESULT_LABEL, ROUTINE_ACTIONS, type View } from "./filters";
import type { SetView } from "./toolbar";
import classes from "./viewer.module.css";

type Chip = { key: string; name: string; value: string; clear: Partial<View> };

/** What narrows the list, in words. */
export function chipsOf(view: View): Chip[] {
  const chips: Chip[] = [];
  const add = (key: keyof View, name: string, value: string | null) =>
    value && chips.push({ key, name, value, clear: { [key]: null } });
  add("q", "Text", view.q);
  add("actor", "Actor", view.actor);
  add("action", "Action", view.action);
  add("resource", "Resource", view.resource);
  add("result", "Result", view.result && RESULT_LABEL[view.result]);
  add("category", "Category", view.category && CATEGORY_LABEL[view.category]);
  add("type", "Actor type", view.type && ACTOR_TYPE_LABEL[view.type]);
  const isRoutine = view.without === ROUTINE_ACTIONS;
  add(
    "without",
    isRoutine ? "Hidden" : "Without",
    isRoutine ? "routine agent telemetry" : (view.without?.replaceAll(",", ", ") ?? null),
  );
  return chips;
}

/** Everything that narrows the list, each with its way out. */
export function Chips({ view, setView }: { view: View; setView: SetView }) {
  const chips = chipsOf(view);
  if (chips.length === 0) return null;
  const clear = (change: Partial<View>) => setView({ ...change, cursor: null, row: null });
  const clearAll = Object.assign({}, ...chips.map((chip) => chip.clear)) as Partial<View>;
  return (
    <ul className={classes.chips} aria-label="Active filters">
      {chips.map((chip) => (
        <li key={chip.key} className={classes.chip}>
          <span className={classes.chipName}>{chip.name}</span>
          <span>{chip.value}</span>
          <CloseButton
            size={24}
            iconSize={12}
            aria-label={`Remove filter ${chip.name}: ${chip.value}`}
            onClick={() => clear(chip.clear)}
          />
        </li>
      ))}
      {chips.length > 1 && (
        <li>
          <button type="button" className={classes.textButton} onClick={() => clear(clearAll)}>
            Clear all
          </button>
        </li>
      )}
    </ul>
  );
}
