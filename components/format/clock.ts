import { useEffect, useState } from "react";

const TICK_MS = 30_000;

/** The current time, updated every 30 seconds. Starts with the server's time, so that hydration matches. */
export function useClock(loadedAt: Date): Date {
  const [now, setNow] = useState(loadedAt);
  useEffect(() => {
    const tick = () => setNow(new Date());
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now > loadedAt ? now : loadedAt;
}

const ELAPSED_TICK_MS = 100;

/** Seconds since the work started; 0 while it is not running. */
export function useElapsed(isRunning: boolean): number {
  const [seconds, setSeconds] = useState(0);
  useEffect(() => {
    if (!isRunning) return;
    const began = performance.now();
    setSeconds(0);
    const timer = setInterval(() => setSeconds((performance.now() - began) / 1000), ELAPSED_TICK_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  return seconds;
}
