"use client";

import { useLiveQuery } from "@/components/devices/live/use-live-query";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import type { LiveItem } from "./merge-live";

/** Limits: the most recently written logs, and events per log. */
const MAX_LOGS = 3;
const MAX_EVENTS = 50;

/** When the device was asked, and for which span; times are ISO 8601. */
export type LiveRequest = { at: string; from: string | undefined; to: string | undefined };

/** The newest events in the span of a request, from the device's own logs; each request is a query. */
export function useLiveItems(deviceId: string, request: LiveRequest | null) {
  const client = useTRPCClient();
  return useLiveQuery({
    key: [deviceId, "timeline", request],
    isEnabled: request !== null,
    run: async (signal): Promise<LiveItem[]> => {
      const options = { signal, ...UNBATCHED };
      const { data: logs } = await client.liveEvents.logs.query({ deviceId }, options);
      const newest = logs.toSorted((a, b) => b.lastWriteTime.localeCompare(a.lastWriteTime)).slice(0, MAX_LOGS);
      const range = { startTime: request?.from, endTime: request?.to, limit: MAX_EVENTS };
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
