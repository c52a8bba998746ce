"use client";

import type { QueryFilters } from "@tanstack/react-query";
import { useStale } from "@/components/use-stale";

/** After a change: closes its dialog, then reads again what it concerns. */
export function useDone(onClose: () => void, ...stale: QueryFilters[]) {
  const { onSuccess } = useStale(...stale);
  return {
    onSuccess: () => {
      onClose();
      return onSuccess();
    },
  };
}
