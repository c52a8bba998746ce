"use client";

import { type QueryFilters, useQueryClient } from "@tanstack/react-query";

/** Options of a mutation that invalidate the given queries after it. */
export function useInvalidation(...stale: QueryFilters[]) {
  const cache = useQueryClient();
  return {
    onSuccess: async () => {
      await Promise.all(stale.map((filter) => cache.invalidateQueries(filter)));
    },
  };
}
