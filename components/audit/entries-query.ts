import { keepPreviousData } from "@tanstack/react-query";
import type { useTRPC } from "../trpc";
import type { toListInput } from "./filters";

type Trpc = Pick<ReturnType<typeof useTRPC>, "audit">;

/** The list as query options, the same for the page's prefetch and the browser; while a filter changes the old rows stay. */
export function entriesQuery(trpc: Trpc, input: ReturnType<typeof toListInput>) {
  return trpc.audit.list.queryOptions(input, { placeholderData: keepPreviousData });
}
