"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc";

/** For steps that usually complete while the user watches, such as installing an agent. */
const ACTIVE_POLL_MS = 5_000;
/** For steps that are completed elsewhere. */
const IDLE_POLL_MS = 60_000;

/**
 * The checklist; null for users it is not meant for. Refetched after every mutation, and polled while steps are open.
 */
export function useChecklist() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = useQuery({
    ...trpc.setup.checklist.queryOptions(),
    refetchInterval: ({ state }) => {
      const next = state.data?.steps.find(({ done }) => !done)?.step;
      if (!next) return false;
      return next === "agent" || next === "verified" ? ACTIVE_POLL_MS : IDLE_POLL_MS;
    },
  });
  useEffect(
    () =>
      cache.getMutationCache().subscribe((event) => {
        if (event.type === "updated" && event.action.type === "success")
          void cache.invalidateQueries(trpc.setup.checklist.queryFilter());
      }),
    [cache, trpc],
  );
  const dismiss = useMutation(trpc.setup.dismissChecklist.mutationOptions());
  return { query, list: query.data ?? null, dismiss };
}
