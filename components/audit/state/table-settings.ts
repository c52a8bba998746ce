"use client";

import { useMutation, useQuery, useQueryClient } from "@tanstack/react-query";
import { useMemo } from "react";
import { useTRPC } from "@/components/trpc";
import type { AuditTable } from "@/server/identity/preferences/schema";
import { NO_CHOICE } from "@/server/identity/preferences/vocabulary";
import {
  type ColumnId,
  columnsOf,
  DEFAULT_COLUMNS,
  type Density,
  tableSettingsQuery,
  type Widths,
} from "./table-params";
import { isFolding, type View } from "./view";
import type { ViewerState } from "./viewer-state";

type Change = { columns?: ColumnId[]; density?: Density; widths?: Widths; fold?: boolean };

/** The table's appearance: columns and their order, widths, row density. */
export type TableSettings = {
  ids: ColumnId[];
  /** True when the user or the URL has chosen columns. */
  isChosen: boolean;
  widths: Widths;
  density: Density;
  /** True while repeats and routine telemetry are folded. */
  folds: boolean;
  change: (change: Change) => void;
  reset: () => void;
  /** Why the last change could not be saved; it then applies only to this tab. */
  error: unknown;
};

/**
 * From the URL, else the user's preference, else the default. A change is saved as preference and put into the URL, so
 * that a copied link looks the same. It adds no history entry, because it does not change the results.
 */
export function useTableSettings({ view, setView }: ViewerState): TableSettings {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const query = tableSettingsQuery(trpc);
  const preference = useQuery(query).data ?? NO_CHOICE;
  const save = useMutation(trpc.preferences.set.mutationOptions({ scope: { id: "audit.table" } }));
  const put = (value: Partial<AuditTable>, address: Pick<Partial<View>, "cols" | "density" | "fold">) => {
    cache.setQueryData(query.queryKey, { ...preference, ...value });
    save.mutate({ key: "audit.table", value });
    if (Object.keys(address).length > 0) setView(address, { history: "replace" });
  };
  const ids = useMemo(
    () => view.cols ?? columnsOf(preference.columns ?? DEFAULT_COLUMNS),
    [view.cols, preference.columns],
  );
  return {
    ids,
    isChosen: (view.cols ?? preference.columns) !== null,
    widths: preference.widths,
    density: view.density ?? preference.density ?? "normal",
    folds: isFolding(view, preference.fold),
    change: ({ columns: cols, density, widths, fold }) =>
      put(
        {
          ...(cols && { columns: cols }),
          ...(density && { density }),
          ...(widths && { widths: { ...preference.widths, ...widths } }),
          ...(fold !== undefined && { fold }),
        },
        { ...(cols && { cols }), ...(density && { density }), ...(fold !== undefined && { fold }) },
      ),
    reset: () => put({ columns: null, widths: {}, density: null }, { cols: null, density: null }),
    error: save.error,
  };
}
