import { type QueryFilters, type Updater, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useInvalidation } from "@/components/use-invalidation";
import type { ImportState } from "@/server/custom-fields/import/schema";

type Next = Updater<ImportState | undefined, ImportState | undefined>;

/**
 * Shared by all mutations of an import. `scope` serializes them, so that responses arrive in order; `show` updates the
 * cached import; `onSuccess` also invalidates the other queries given.
 */
export function useChange(id: string, ...stale: QueryFilters[]) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const show = (next: Next) => {
    const query = trpc.imports.get.queryFilter({ id });
    // Answers to requests in flight are older than the change.
    void cache.cancelQueries(query);
    cache.setQueriesData<ImportState>(query, next);
  };
  const { onSuccess } = useInvalidation(...stale);
  return {
    scope: { id: `import ${id}` },
    show,
    onSuccess: (next: ImportState) => {
      show(next);
      return onSuccess();
    },
  };
}
