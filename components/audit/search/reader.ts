import { useQueryClient } from "@tanstack/react-query";
import type { Filters, Trpc, View } from "@/components/audit/state/view";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { mapValues } from "@/server/ground/records";
import { applyQuery, type Parsed, parseQuery } from "./query-text";

/** The parser of plain English, loaded when the user starts typing. */
export const loadReader = () => import("./read-line");

const NAMES_STALE_MS = 60_000;

/** Query options for names that words match or nearly match. */
export const namesQuery = (trpc: Trpc, words: string[], isNear = false) =>
  trpc.audit.names.queryOptions({ words, isNear }, { staleTime: NAMES_STALE_MS, trpc: UNBATCHED });

/** Reads typed lines in a time zone. If the parser or names cannot be loaded, qualifiers and words still work. */
export function useReader(zone: string) {
  const trpc = useTRPC();
  const client = useQueryClient();
  const findNames = (words: string[]) =>
    client.fetchQuery(namesQuery(trpc, words)).then(
      ({ names }) => names,
      () => [],
    );
  const read = (view: Partial<Filters>, typed: string): Promise<Parsed> =>
    loadReader().then(
      ({ readLine }) => readLine(view, typed, { clock: { zone, now: new Date() }, findNames }),
      () => applyQuery(view, parseQuery(typed)),
    );
  /** View change that removes the filters read from the last line. */
  const forget = async ({ typed }: View): Promise<Partial<View>> =>
    typed ? mapValues(await read({}, typed), () => null) : {};
  return {
    read,
    /** View change that replaces the last line. */
    async readInstead(view: View, typed: string): Promise<Partial<View>> {
      const forgotten = await forget(view);
      return { ...forgotten, ...(await read({ ...view, ...forgotten }, typed)) };
    },
    /** View change that searches for the last line literally. */
    readLiterally: async (view: View): Promise<Partial<View>> => ({ ...(await forget(view)), q: view.typed }),
  };
}
