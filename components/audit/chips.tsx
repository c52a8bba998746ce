"use client";

import { CloseButton } from "@mantine/core";
import { Check } from "lucide-react";
import { chipsOf } from "./state/describe-filters";
import { excluding, hideRoutine } from "./state/narrow";
import { hidesRoutine, type View } from "./state/view";
import { useViewer } from "./state/viewer-context";
import classes from "./viewer.module.css";

/** The active filters, each removable, and the switch that hides routine telemetry. */
export function Chips() {
  const { view, setView, audit, settings } = useViewer();
  const chips = chipsOf(view, audit.names);
  const hidden = hidesRoutine(view);
  const clearAll: Partial<View> = Object.assign({}, ...chips.map((chip) => chip.clear), excluding([]));
  return (
    <ul className={classes.chips} aria-label="Active filters">
      <li>
        <button
          type="button"
          className={classes.switch}
          aria-pressed={settings.folds}
          aria-keyshortcuts="f"
          onClick={() => settings.change({ fold: !settings.folds })}
        >
          {settings.folds && <Check size={13} aria-hidden />}
          Fold repeats and telemetry
        </button>
      </li>
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
