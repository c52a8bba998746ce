import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useEffectEvent } from "react";
import { entriesQuery, routineQuery, totalQuery } from "@/components/audit/state/view";
import type { ViewerState } from "@/components/audit/state/viewer-state";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { MINUTE_MS } from "@/server/ground/time/durations";

/**
 * Moves a ready-made range of the live list on every minute, while rows may move. What it holds then is fetched first,
 * so that it replaces the rows at once; a range whose start stays is not fetched again.
 */
export function useMovingRange({ input, inputsAt, setNow }: ViewerState, mayMove: () => boolean): void {
  const { zone } = useZone();
  const trpc = useTRPC();
  const cache = useQueryClient();
  const show = useEffectEvent((now: Date) => mayMove() && setNow(now));
  const move = useEffectEvent(async () => {
    const now = new Date();
    const later = inputsAt(now);
    if (document.hidden || !mayMove() || later.input.from === input.from) return;
    const page = await cache.fetchQuery(entriesQuery(trpc, later.listed));
    await Promise.all([
      cache.fetchQuery(totalQuery(trpc, later.input)),
      later.listed.routine && cache.fetchQuery(routineQuery(trpc, { listed: later.listed, page, zone })),
    ]);
    show(now);
  });
  useEffect(() => {
    // Where it cannot be fetched, the range stays what it is until the next minute.
    const timer = setInterval(() => move().catch(() => undefined), MINUTE_MS);
    return () => clearInterval(timer);
  }, []);
}
