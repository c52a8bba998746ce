"use client";

import { Check } from "lucide-react";
import { type RefObject, useEffect, useRef } from "react";
import classes from "./steps.module.css";

/**
 * Moves the focus to the top of a new step, and there again when the focused button is replaced by a progress bar or
 * the progress bar by a result.
 * @returns the ref for the step's element
 */
export function useStepFocus(step: string, isWorking: boolean, takesFocus: boolean): RefObject<HTMLElement | null> {
  const top = useRef<HTMLElement>(null);
  const shown = useRef(takesFocus ? "" : step);
  useEffect(() => {
    if (shown.current !== step) {
      top.current?.focus({ preventScroll: true });
      window.scrollTo({ top: 0 });
    }
    shown.current = step;
  }, [step]);
  const wasWorking = useRef(isWorking);
  useEffect(() => {
    const isLost = document.activeElement === null || document.activeElement === document.body;
    if (wasWorking.current !== isWorking && isLost) top.current?.focus({ preventScroll: true });
    wasWorking.current = isWorking;
  }, [isWorking]);
  return top;
}

type Step<Name extends string> = { name: Name; label: string; isOpen: boolean; isDone: boolean };
type Props<Name extends string> = {
  label: string;
  steps: readonly Step<Name>[];
  current: Name;
  onStep: (name: Name) => void;
};

/** Steps of a wizard as navigation; reachable ones can be chosen. */
export function StepList<Name extends string>({ label, steps, current, onStep }: Props<Name>) {
  return (
    <nav aria-label={label}>
      <ol className={classes.steps}>
        {steps.map(({ name, label: text, isOpen, isDone }, i) => (
          <li key={name} data-current={name === current || undefined} data-open={isOpen || undefined}>
            <button
              type="button"
              disabled={!isOpen}
              aria-current={name === current ? "step" : undefined}
              onClick={() => onStep(name)}
            >
              <span className={classes.number}>
                {isDone && name !== current ? <Check size={13} aria-label="Done" /> : i + 1}
              </span>
              {text}
            </button>
          </li>
        ))}
      </ol>
    </nav>
  );
}
