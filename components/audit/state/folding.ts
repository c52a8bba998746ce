import type { useTRPC } from "@/components/trpc";
import type { FullPage } from "@/server/audit/schema";
import type { View } from "./address";
import type { Input } from "./list-input";
import { hidesRoutine } from "./narrow";

/** Whether repeats and routine telemetry are folded: by the URL, else the user's preference, else true. */
export const isFolding = (view: Pick<View, "fold">, kept: boolean | null | undefined): boolean =>
  view.fold ?? kept ?? true;

/** A filter by action turns folding off: the user wants to see those entries one by one. */
export const filtersByAction = (view: Pick<View, "action" | "actions">): boolean =>
  Boolean(view.action || view.actions);

/** The input of the list itself: without folded telemetry. Totals, facets and exports use the unchanged filter. */
export const listedInput = (input: Input, view: View, folds: boolean): Input =>
  folds && !filtersByAction(view) && !hidesRoutine(view) ? { ...input, routine: "without" } : input;

/** Query options for the telemetry that is folded among a page's entries. */
export function routineQuery(
  trpc: Pick<ReturnType<typeof useTRPC>, "audit">,
  { listed, page, zone }: { listed: Input; page: FullPage | undefined; zone: string },
) {
  const { skipCount: _, routine: __, ...filter } = listed;
  const through = page?.pagination.nextCursor ? page.data.at(-1)?.timestamp : undefined;
  return trpc.audit.routine.queryOptions({ ...filter, zone, ...(through && { through }) });
}
