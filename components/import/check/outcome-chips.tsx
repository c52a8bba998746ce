"use client";

import { useId } from "react";
import { count } from "@/components/format/amounts";
import { StateTag, type Tone } from "@/components/ui/state-tag";
import classes from "./check.module.css";

type Props<T extends string> = {
  label: string;
  items: { name: T; label: string; tone: Tone | null; n: number }[];
  chosen: T | null;
  onChoose: (name: T | null) => void;
};

/** Counts that filter the table below; clicking one again clears the filter. */
export function OutcomeChips<T extends string>({ label, items, chosen, onChoose }: Props<T>) {
  const id = useId();
  return (
    // biome-ignore lint/a11y/useSemanticElements: a fieldset is for form controls; these are filters
    <div className={classes.chips} role="group" aria-labelledby={id}>
      <span id={id}>{label}</span>
      {items
        .filter(({ n, name }) => n > 0 || name === chosen)
        .map(({ name, label: text, tone, n }) => (
          <button
            key={name}
            type="button"
            aria-pressed={name === chosen}
            onClick={() => onChoose(name === chosen ? null : name)}
          >
            {tone ? <StateTag tone={tone}>{text}</StateTag> : <span>{text}</span>}
            <strong className="tm-figures">{count(n)}</strong>
          </button>
        ))}
    </div>
  );
}
