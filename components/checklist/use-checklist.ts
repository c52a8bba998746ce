"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc";

/** Awaited right now: an agent is being installed. */
const SOON_MS = 5_000;
/** What is done elsewhere and seldom. */
const SELDOM_MS = 60_000;

/**
 * The checklist as it stands, asked again at once after anything was done on the page, and while something is left; null for
 * users it does not concern.
 */
export function useChecklist() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = useQuery({
    ...trpc.setup.checklist.queryOptions(),
    refetchInterval: ({ state }) => {
      const next = state.data?.steps.find(({ done }) => !done)?.step;
      if (!next) return false;
      return next === "agent" || next === "verified" ? SOON_MS : SELDOM_MS;
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
