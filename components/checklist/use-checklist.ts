"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";

const EVERY_MS = 5_000;

/** The checklist as it stands, asked again while something is left; null for those whom it does not concern. */
export function useChecklist({ again }: { again: boolean }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = useQuery({
    ...trpc.setup.checklist.queryOptions(),
    refetchInterval: ({ state }) => (again && state.data?.steps.some(({ done }) => !done) ? EVERY_MS : false),
  });
  const dismiss = useMutation(
    trpc.setup.dismissChecklist.mutationOptions({
      onSuccess: () => cache.invalidateQueries(trpc.setup.checklist.queryFilter()),
    }),
  );
  return { query, list: query.data ?? null, dismiss };
}
