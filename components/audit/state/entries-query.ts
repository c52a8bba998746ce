import { keepPreviousData } from "@tanstack/react-query";
import { type Outputs, UNBATCHED, type useTRPC } from "@/components/trpc";
import type { Input } from "./list-input";

type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;

/** Query options of the list, shared by the server's prefetch and the browser. Old rows stay while a filter changes. */
export const entriesQuery = (trpc: Trpc, input: Input) =>
  trpc.audit.list.queryOptions(input, { placeholderData: keepPreviousData });

/** The total of the same filter, in a separate request so that the rows do not wait for the count. */
export const totalQuery = (trpc: Trpc, { cursor: _, ...input }: Input) =>
  trpc.audit.list.queryOptions({ ...input, limit: 1, skipCount: false }, { trpc: UNBATCHED });

/** True when a search term was too short for the index, so that older entries were not searched. */
export const isTruncated = (page: Outputs["audit"]["list"] | undefined): boolean => page?.truncated === true;
