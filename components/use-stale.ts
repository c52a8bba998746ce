"use client";

import { type QueryFilters, useQueryClient } from "@tanstack/react-query";

/** Options of a change: after it, what it concerns is read again. */
export function useStale(...stale: QueryFilters[]) {
  const cache = useQueryClient();
  return {
    onSuccess: async () => {
      await Promise.all(stale.map((filter) => cache.invalidateQueries(filter)));
    },
  };
}
