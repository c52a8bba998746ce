"use client";

import { useLiveQuery } from "@/components/devices/live/use-live-query";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import type { LiveItem } from "./timeline-rows";

/** Limits: the most recently written logs, and events per log. */
const MAX_LOGS = 3;
const MAX_EVENTS = 50;

type LiveInput = { deviceId: string; from: Date | undefined; to: Date | undefined; requestedAt: string | null };

/** The newest events in the range from the device's own logs; queried once for each new value of `requestedAt`. */
export function useLiveItems({ deviceId, from, to, requestedAt }: LiveInput) {
  const client = useTRPCClient();
  return useLiveQuery({
    key: [deviceId, "timeline", requestedAt],
    isEnabled: requestedAt !== null,
    run: async (signal): Promise<LiveItem[]> => {
      const options = { signal, ...UNBATCHED };
      const { data: logs } = await client.liveEvents.logs.query({ deviceId }, options);
      const newest = logs.toSorted((a, b) => b.lastWriteTime.localeCompare(a.lastWriteTime)).slice(0, MAX_LOGS);
      const range = { startTime: from?.toISOString(), endTime: to?.toISOString(), limit: MAX_EVENTS };
      const answers = await Promise.all(
        newest.map(({ name }) => client.liveEvents.events.query({ deviceId, name, ...range }, options)),
      );
      return answers.flatMap(({ data }, i) =>
        data
          .filter(({ timeCreated }) => Number.isFinite(Date.parse(timeCreated)))
          .map((event) => ({
            source: "live" as const,
            at: new Date(event.timeCreated).toISOString(),
            key: `live ${i} ${event.recordId}`,
            log: newest[i]?.name ?? "",
            event,
          })),
      );
    },
  });
}
