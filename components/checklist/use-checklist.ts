"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useEffect } from "react";
import { useTRPC } from "@/components/trpc";

const EVERY_MS = 5_000;

/**
 * The checklist as it stands, asked again at once after anything was done on the page, and while something is left; null for
 * those whom it does not concern.
 */
export function useChecklist({ again }: { again: boolean }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = useQuery({
    ...trpc.setup.checklist.queryOptions(),
    refetchInterval: ({ state }) => (again && state.data?.steps.some(({ done }) => !done) ? EVERY_MS : false),
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
