import { type QueryClient, type QueryFilters, type Updater, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useStale } from "@/components/use-stale";
import type { ImportState } from "@/server/custom-fields/import/schema";

type Next = Updater<ImportState | undefined, ImportState | undefined>;

/**
 * Shows an import as a change has left it. An answer that is still on its way is of the time before: it is dropped,
 * whenever it comes.
 */
export function showChanged(cache: QueryClient, query: QueryFilters, next: Next): void {
  void cache.cancelQueries(query);
  cache.setQueriesData<ImportState>(query, next);
}

/**
 * What all changes of an import have in common. With `scope` among its options a change waits for the one before, so
 * that their answers come in the order of what was done; `show` takes an answer, `onSuccess` reads again what it made
 * stale as well.
 */
export function useChange(id: string, ...stale: QueryFilters[]) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const show = (next: Next) => showChanged(cache, trpc.imports.get.queryFilter({ id }), next);
  const { onSuccess } = useStale(...stale);
  return {
    scope: { id: `import ${id}` },
    show,
    onSuccess: (next: ImportState) => {
      show(next);
      return onSuccess();
    },
  };
}
