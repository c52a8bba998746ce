import { useEffect, useState } from "react";

const TICK_MS = 100;

/** Seconds since the work started; 0 while it is not running. */
export function useElapsed(isRunning: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isRunning) return;
    const began = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds((performance.now() - began) / 1000), TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return seconds;
}
