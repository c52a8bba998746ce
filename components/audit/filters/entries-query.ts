import { keepPreviousData } from "@tanstack/react-query";
import { ALONE, type useTRPC } from "@/components/trpc";
import type { toListInput } from "./list-input";

type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;
export type Input = ReturnType<typeof toListInput>;

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

const countQuery = (trpc: Trpc, input: object) =>
  trpc.audit.list.queryOptions({ ...input, limit: 1, skipCount: false }, { trpc: ALONE });

/** The same question's total. It is asked for by itself: the rows never wait for the count. */
export function totalQuery(trpc: Trpc, { q, cursor: _, ...input }: Input): ReturnType<typeof countQuery> {
  if (!q) return countQuery(trpc, input);
  const found = trpc.audit.search.queryOptions({ ...input, q, limit: 1, skipCount: false }, { trpc: ALONE });
  return found as unknown as ReturnType<typeof countQuery>;
}

/** True when a search's term was too short for the index and older entries were not looked at. */
export const isCut = (page: object | undefined): boolean =>
  (page as { truncated?: boolean } | undefined)?.truncated === true;
