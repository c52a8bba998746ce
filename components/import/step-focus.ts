"use client";

import { type RefObject, useEffect, useRef } from "react";

/**
 * Keeps the keyboard where the work is: at the beginning of a step that has just come up, and there again when the
 * button that was pressed has given way to a progress bar, or that to a result.
 * @returns the ref of the element that holds the step.
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
