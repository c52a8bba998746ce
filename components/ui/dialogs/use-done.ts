"use client";

import type { QueryFilters } from "@tanstack/react-query";
import { useStale } from "@/components/use-stale";

/** After a mutation: closes its dialog, then invalidates the given queries. */
export function useDone(onClose: () => void, ...stale: QueryFilters[]) {
  const { onSuccess } = useStale(...stale);
  return {
    onSuccess: () => {
      onClose();
      return onSuccess();
    },
  };
}
