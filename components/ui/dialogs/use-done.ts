"use client";

import { type QueryFilters, useQueryClient } from "@tanstack/react-query";

/** After a change: closes its dialog, then reads again what it concerns. */
export function useDone(onClose: () => void, ...stale: QueryFilters[]) {
  const cache = useQueryClient();
  return {
    onSuccess: async () => {
      onClose();
      await Promise.all(stale.map((filter) => cache.invalidateQueries(filter)));
    },
  };
}
