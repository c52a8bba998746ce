"use client";

import { useQuery } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import {
  isImportable,
  type Plan,
  type PlanFaults,
  type PlanField,
  type SourceColumn,
  type UnknownChoices,
} from "@/server/custom-fields/import/plan-schema";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { capitalized } from "@/server/ground/text";

/** Columns that may become fields: importable, and not used as an identifier. */
export function fieldColumns(state: ImportState, plan: Plan): { field: PlanField; column: SourceColumn }[] {
  const identifiers = new Set(Object.values(plan.identifiers));
  return plan.fields.flatMap((field) => {
    const column = state.columns[field.column];
    return column && isImportable(column) && !identifiers.has(field.column) ? [{ field, column }] : [];
  });
}

export type Faults = {
  columnFault: (column: number) => string | null;
  /** Values of a dropdown's column that are not among its choices. */
  unknownChoices: (column: number) => UnknownChoices | null;
  identifierFault: (name: string) => string | null;
  general: string[];
  /** Refetches the errors of the mapping as saved on the server. */
  refresh: () => Promise<PlanFaults["faults"]>;
};

const NONE: PlanFaults = { faults: [], unknown: [] };

/** The server's validation errors of the mapping, by what they are about. */
export function useFaults(state: ImportState, plan: Plan): Faults {
  const query = useQuery(useTRPC().imports.faults.queryOptions({ id: state.id }));
  const { faults: list, unknown } = query.data ?? NONE;
  const byColumn = new Map<number, string>();
  const byIdentifier = new Map<string, string>();
  const general: string[] = [];
  for (const { path, message } of list) {
    const [kind, which] = path.split(".");
    const field = kind === "fields" && which !== undefined ? plan.fields[Number(which)] : undefined;
    if (field) byColumn.set(field.column, capitalized(message));
    else if (kind === "identifiers" && which) byIdentifier.set(which, capitalized(message));
    else general.push(capitalized(message));
  }
  return {
    columnFault: (column) => byColumn.get(column) ?? null,
    unknownChoices: (column) => unknown.find((one) => one.column === column) ?? null,
    identifierFault: (name) => byIdentifier.get(name) ?? null,
    general,
    refresh: async () => (await query.refetch()).data?.faults ?? [],
  };
}
