import { parseAsArrayOf, parseAsString, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useCallback } from "react";
import { SHOWN, type Shown, SORTS, type Sort } from "@/server/organizations/overview/schema";

const parsers = {
  search: parseAsString,
  show: parseAsArrayOf(parseAsStringLiteral(SHOWN)),
  sort: parseAsStringLiteral(SORTS).withDefault("attention"),
  order: parseAsStringLiteral(["asc", "desc"]).withDefault("asc"),
};

/** Columns that sort in descending order first. */
const DESCENDING_FIRST: readonly Sort[] = ["growth", "failures", "denied", "devices", "storage"];

/** The page's URL state. */
export function useCustomersView() {
  const [view, setView] = useQueryStates(parsers, { history: "push" });
  const search = useCallback((text: string) => setView({ search: text || null }, { history: "replace" }), [setView]);
  const sortBy = (sort: Sort) => {
    const first = DESCENDING_FIRST.includes(sort) ? "desc" : "asc";
    const reversed = view.order === "asc" ? "desc" : "asc";
    return setView({ sort, order: view.sort === sort ? reversed : first });
  };
  const toggle = (shown: Shown) => {
    const now = view.show ?? [];
    const next = now.includes(shown) ? now.filter((one) => one !== shown) : [...now, shown];
    return setView({ show: next.length > 0 ? next : null });
  };
  const clear = () => setView({ search: null, show: null });
  return { view, search, sortBy, toggle, clear };
}
