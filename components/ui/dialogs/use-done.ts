"use client";

import type { QueryFilters } from "@tanstack/react-query";
import { useInvalidation } from "@/components/use-invalidation";

/** After a mutation: closes its dialog, then invalidates the given queries. */
export function useDone(onClose: () => void, ...stale: QueryFilters[]) {
  const { onSuccess } = useInvalidation(...stale);
  return {
    onSuccess: () => {
      onClose();
      return onSuccess();
    },
  };
}
