"use client";

import { type RefObject, useEffect, useRef } from "react";

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
