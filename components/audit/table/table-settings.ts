"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import type { View } from "@/components/audit/filters/address";
import { isFolding } from "@/components/audit/fold/folding";
import { type ColumnId, columnsOf, type Density, tableSettingsQuery } from "@/components/audit/table-params";
import { useViewer } from "@/components/audit/viewer-context";
import { type Outputs, useTRPC } from "@/components/trpc";
import { COLUMN, type Column, DEFAULT_COLUMNS, type Widths } from "./columns";

type Preference = NonNullable<Outputs["preferences"]["get"]>;
type Change = { columns?: ColumnId[]; density?: Density; widths?: Widths; fold?: boolean };

/** How the table looks: columns in their order, their widths, how high the rows are. */
export type TableSettings = {
  ids: ColumnId[];
  columns: Column[];
  /** True once the person, or the link, has chosen columns. */
  isChosen: boolean;
  widths: Widths;
  density: Density;
  /** True while repeats and routine telemetry are folded. */
  folds: boolean;
  change: (change: Change) => void;
  reset: () => void;
  /** Why the last change could not be kept; it holds for this tab alone then. */
  error: unknown;
};

const NOTHING: Preference = { columns: null, widths: {}, density: null, fold: null };

/**
 * The address first, then the user's preference, then the default. A change is kept for the person and is
 * in the address, so that a link shows the same; it is no step in the history, for it changes no answer.
 */
export function useTableSettings(): TableSettings {
  const { view, setView } = useViewer();
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = tableSettingsQuery(trpc);
  const kept = useQuery(query).data ?? NOTHING;
  const save = useMutation(trpc.preferences.set.mutationOptions({ scope: { id: "audit.table" } }));
  const put = (value: Preference, address: Pick<Partial<View>, "cols" | "density" | "fold">) => {
    cache.setQueryData(query.queryKey, value);
    save.mutate({ key: "audit.table", value });
    if (Object.keys(address).length > 0) setView(address, { history: "replace" });
  };
  const ids = useMemo(() => view.cols ?? columnsOf(kept.columns ?? DEFAULT_COLUMNS), [view.cols, kept.columns]);
  const columns = useMemo(() => ids.map((id) => COLUMN[id]), [ids]);
  return {
    ids,
    columns,
    isChosen: (view.cols ?? kept.columns) !== null,
    widths: kept.widths,
    density: view.density ?? kept.density ?? "normal",
    folds: isFolding(view, kept.fold),
    change: ({ columns: cols, density, widths, fold }) =>
      put(
        {
          columns: cols ?? kept.columns,
          density: density ?? kept.density,
          widths: { ...kept.widths, ...widths },
          fold: fold ?? kept.fold,
        },
        { ...(cols && { cols }), ...(density && { density }), ...(fold !== undefined && { fold }) },
      ),
    reset: () => put({ ...NOTHING, fold: kept.fold }, { cols: null, density: null }),
    error: save.error,
  };
}
