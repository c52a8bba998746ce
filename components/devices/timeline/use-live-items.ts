"use client";

import { useLiveQuery } from "@/components/devices/live/use-live-query";
import { UNBATCHED, useTRPCClient } from "@/components/trpc";
import { type LiveAnswer, MAX_LIVE_EVENTS } from "./answer-text";

/** So many of the logs are read, those that were last written to first. */
const MAX_LOGS = 3;

/** When the device was asked, and for which span; times are ISO 8601. */
export type LiveRequest = { at: string; from: string | undefined; to: string | undefined };

/** The newest events in the span of a request, from the device's own logs; each request is a query. */
export function useLiveItems(deviceId: string, request: LiveRequest | null) {
  const client = useTRPCClient();
  return useLiveQuery({
    key: [deviceId, "timeline", request],
    isEnabled: request !== null,
    run: async (signal): Promise<LiveAnswer> => {
      const options = { signal, ...UNBATCHED };
      const { data: logs } = await client.liveEvents.logs.query({ deviceId }, options);
      const newest = logs.toSorted((a, b) => b.lastWriteTime.localeCompare(a.lastWriteTime)).slice(0, MAX_LOGS);
      const range = { startTime: request?.from, endTime: request?.to, limit: MAX_LIVE_EVENTS };
      const answers = await Promise.all(
        newest.map(async ({ name }) => ({
          name,
          ...(await client.liveEvents.events.query({ deviceId, name, ...range }, options)),
        })),
      );
      const items = answers.flatMap(({ name, data }) =>
        data
          .filter(({ timeCreated }) => Number.isFinite(Date.parse(timeCreated)))
          .map((event) => ({
            source: "live" as const,
            at: new Date(event.timeCreated).toISOString(),
            key: `live ${name} ${event.recordId}`,
            log: name,
            event,
          })),
      );
      return {
        items,
        logs: answers.map(({ name, meta }) => ({ name, searched: meta.searched })),
        logCount: logs.length,
      };
    },
  });
}
