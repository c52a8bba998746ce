import { parseAsInteger, parseAsString, type UseQueryStatesKeysMap, useQueryStates } from "nuqs";
import { useCallback } from "react";

/** Page, search and filters of a list in the address. */
export function useListView<Filters extends UseQueryStatesKeysMap>(filters: Filters) {
  const parsers = { page: parseAsInteger.withDefault(1), search: parseAsString, ...filters };
  const [view, setView] = useQueryStates(parsers, { history: "push" });
  const onSearch = useCallback(
    (search: string) => setView({ search: search || null, page: null } as Parameters<typeof setView>[0]),
    [setView],
  );
  return { view, setView, onSearch };
}
