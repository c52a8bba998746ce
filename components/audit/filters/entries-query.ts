import { keepPreviousData } from "@tanstack/react-query";
import { ALONE, type Outputs, type useTRPC } from "@/components/trpc";
import type { Input } from "./list-input";

type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;

/** The entries as query options, the same for the page's prefetch and the browser. While a filter changes the old rows stay. */
export const entriesQuery = (trpc: Trpc, input: Input) =>
  trpc.audit.list.queryOptions(input, { placeholderData: keepPreviousData });

/** The same filter's total, in its own request: the rows never wait for the count. */
export const totalQuery = (trpc: Trpc, { cursor: _, ...input }: Input) =>
  trpc.audit.list.queryOptions({ ...input, limit: 1, skipCount: false }, { trpc: ALONE });

/** True when a search's term was too short for the index and older entries were not read. */
export const isCut = (page: Outputs["audit"]["list"] | undefined): boolean => page?.truncated === true;
