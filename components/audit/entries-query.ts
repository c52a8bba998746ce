import { keepPreviousData } from "@tanstack/react-query";
import type { useTRPC } from "../trpc";
import type { toListInput } from "./filters";

type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;
type Input = ReturnType<typeof toListInput>;

const listQuery = (trpc: Trpc, input: Omit<Input, "q">) =>
  trpc.audit.list.queryOptions(input, { placeholderData: keepPreviousData });

/**
 * The entries as query options, the same for the page's prefetch and the browser: a text goes to search, whose answer is
 * the list's and more. While a filter changes the old rows stay.
 */
export function entriesQuery(trpc: Trpc, { q, ...input }: Input): ReturnType<typeof listQuery> {
  if (!q) return listQuery(trpc, input);
  const found = trpc.audit.search.queryOptions({ ...input, q }, { placeholderData: keepPreviousData });
  return found as unknown as ReturnType<typeof listQuery>;
}
