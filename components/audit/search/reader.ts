import { useQueryClient } from "@tanstack/react-query";
import type { Filters, View } from "@/components/audit/state/view";
import { UNBATCHED, useTRPC } from "@/components/trpc";
import { mapValues } from "@/server/ground/records";
import { applyQuery, type Parsed, parseQuery } from "./query-text";

/** The parser of plain English, loaded when the user starts typing. */
export const loadReader = () => import("./read-line");

const NAMES_STALE_MS = 60_000;

/** Query options for the names that words are, or are mistyped forms of. */
export const namesQuery = (trpc: Pick<ReturnType<typeof useTRPC>, "audit">, words: string[], isNear = false) =>
  trpc.audit.names.queryOptions({ words, isNear }, { staleTime: NAMES_STALE_MS, trpc: UNBATCHED });

/** The reading of typed lines in a time zone. If the parser or names cannot be loaded, qualifiers and words still work. */
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
  /** The view change that drops the filters which the last line was read as. */
  const forget = async ({ typed }: View): Promise<Partial<View>> =>
    typed ? mapValues(await read({}, typed), () => null) : {};
  return {
    read,
    /** The view change for another line instead of the last one. */
    async readInstead(view: View, typed: string): Promise<Partial<View>> {
      const forgotten = await forget(view);
      return { ...forgotten, ...(await read({ ...view, ...forgotten }, typed)) };
    },
    /** The view change that searches for the last line as its words stand. */
    readLiterally: async (view: View): Promise<Partial<View>> => ({ ...(await forget(view)), q: view.typed }),
  };
}
