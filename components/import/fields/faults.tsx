"use client";

import { useQuery } from "@tanstack/react-query";
import type { PlanDraft } from "@/components/import/plan-draft";
import { useTRPC } from "@/components/trpc";
import { errorText, Message, problemOf } from "@/components/ui/notice";
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

const PART: Record<string, string> = {
  name: "name of its field",
  fieldKey: "key of its field",
  options: "list of its choices",
  decisions: "list of what its values mean",
};

/** Reason that the mapping was not saved, with the column's name instead of the path. */
function reasonOf({ error, plan }: PlanDraft, { columns }: ImportState): string {
  const [fault] = problemOf(error)?.errors ?? [];
  const [, at, part = ""] = /^plan\.fields\.(\d+)\.(\w+)/.exec(fault?.path ?? "") ?? [];
  const field = at === undefined ? undefined : plan.fields[Number(at)];
  const title = field && (columns[field.column]?.title ?? field.name);
  return fault && title && PART[part]
    ? `${title}: the ${PART[part]} ${fault.message}. The mapping is saved once this is corrected.`
    : errorText(error);
}

/** Shown beside the step's button when the last change of the mapping could not be saved. */
export const NotSaved = ({ draft, state }: { draft: PlanDraft; state: ImportState }) =>
  draft.error ? <Message tone="bad">{reasonOf(draft, state)}</Message> : null;
