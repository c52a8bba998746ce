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
