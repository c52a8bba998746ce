import { useEffect, useState } from "react";

const TICK_MS = 30_000;

/** The instant of now, moved on every half minute; the server's instant first, so that both write the same. */
export function useClock(loadedAt: Date): Date {
  const [now, setNow] = useState(loadedAt);
  useEffect(() => {
    const tick = () => setNow(new Date());
    const timer = setInterval(tick, TICK_MS);
    return () => clearInterval(timer);
  }, []);
  return now > loadedAt ? now : loadedAt;
}
