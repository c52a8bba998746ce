import { useEffect, useEffectEvent, useRef } from "react";

/** Runs once after mounting; React's strict mode runs effects twice in development. */
export function useOnce(act: () => void): void {
  const isDone = useRef(false);
  const once = useEffectEvent(() => {
    if (isDone.current) return;
    isDone.current = true;
    act();
  });
  useEffect(() => once(), []);
}
