import type { View } from "@/components/audit/filters/address";
import type { Input } from "@/components/audit/filters/list-input";
import { hidesRoutine } from "@/components/audit/filters/narrow";
import type { useTRPC } from "@/components/trpc";
import type { FullPage } from "@/server/audit/schema";

/** True while repeats and routine telemetry are folded: as the address says, else as the person last chose, else always. */
export const isFolding = (view: Pick<View, "fold">, kept: boolean | null | undefined): boolean =>
  view.fold ?? kept ?? true;

/** Whoever asks for an action wants to see it, entry by entry. */
export const asksForActions = (view: Pick<View, "action" | "actions">): boolean => Boolean(view.action || view.actions);

/** What the list itself asks for: the filter, without the telemetry that is folded. Totals, facets and exports take the filter. */
export const listedInput = (input: Input, view: View, folds: boolean): Input =>
  folds && !asksForActions(view) && !hidesRoutine(view) ? { ...input, routine: "without" } : input;

/** The telemetry folded among the entries of a page, as query options. */
export function routineQuery(
  trpc: Pick<ReturnType<typeof useTRPC>, "audit">,
  { listed, page, zone }: { listed: Input; page: FullPage | undefined; zone: string },
) {
  const { skipCount: _, routine: __, ...filter } = listed;
  const through = page?.pagination.nextCursor ? page.data.at(-1)?.timestamp : undefined;
  return trpc.audit.routine.queryOptions({ ...filter, zone, ...(through && { through }) });
}
