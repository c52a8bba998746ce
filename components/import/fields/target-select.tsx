"use client";

import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo } from "react";
import { useMe } from "@/components/account/org";
import { randomUuid } from "@/components/format/random-uuid";
import { useTRPC } from "@/components/trpc";
import type { Plan, PlanField, SourceColumn } from "@/server/custom-fields/import/plan-schema";
import { type Definition, FIELD_TYPE_LABELS, freeFieldKey } from "@/server/custom-fields/schema";

const NEW = "new";
const SKIP = "skip";

/**
 * The partner's definitions, the only ones that an import can write to, and those already mapped to a column.
 * mayDefine: only users with access to all organizations can create definitions.
 */
export type Targets = { definitions: readonly Definition[]; taken: ReadonlySet<string>; mayDefine: boolean };

/** Referentially stable, because hundreds of rows depend on it. */
export function useTargets(plan: Plan): Targets {
  const { allOrganizations: mayDefine } = useMe();
  const { data } = useQuery(useTRPC().customFields.list.queryOptions({}));
  const taken = plan.fields.flatMap((field) => (field.action === "existing" ? (field.fieldId ?? []) : [])).join(" ");
  return useMemo(
    () => ({
      definitions: data?.data.filter((field) => field.orgId === null) ?? [],
      taken: new Set(taken.split(" ")),
      mayDefine,
    }),
    [data, taken, mayDefine],
  );
}

type Props = {
  className?: string;
  column: Pick<SourceColumn, "title" | "secret">;
  field: PlanField;
  targets: Targets;
  error: string | null;
  getPlan: () => Plan;
  onChange: (change: Partial<PlanField>) => void;
};

/** The target of a source field: a new field, an unmapped existing one, or none. */
export function TargetSelect({ className, column, field, targets, error, getPlan, onChange }: Props) {
  const { definitions, taken, mayDefine } = targets;
  const own = field.action === "existing" ? field.fieldId : null;
  const existing = definitions.map((d) => ({
    value: d.id,
    label: `${d.name} (${FIELD_TYPE_LABELS[d.type]})`,
    disabled: taken.has(d.id) && d.id !== own,
  }));
  const choose = (value: string | null) => {
    const definition = definitions.find((d) => d.id === value);
    if (value === SKIP) onChange({ action: "skip" });
    else if (definition)
      onChange({
        action: "existing",
        fieldId: definition.id,
        name: definition.name,
        fieldKey: definition.fieldKey,
        type: definition.type,
        options: definition.options,
        secret: definition.secret,
        typeConflictAccepted: false,
        decisions: [],
      });
    else if (!own) onChange({ action: "create" });
    // A secret stays secret.
    else
      onChange({
        action: "create",
        fieldId: randomUuid(),
        name: column.title,
        fieldKey: freeFieldKey(column.title, new Set(getPlan().fields.map((one) => one.fieldKey))),
        secret: column.secret !== null,
      });
  };
  const value = field.action === "skip" ? SKIP : (own ?? NEW);
  return (
    <Select
      className={className}
      aria-label={`Where ${column.title} goes`}
      size="xs"
      data={[
        ...(mayDefine || field.action === "create" ? [{ value: NEW, label: "Create a new field" }] : []),
        { value: SKIP, label: "Leave out" },
        ...(existing.length > 0 ? [{ group: "Existing fields", items: existing }] : []),
      ]}
      value={value}
      onChange={choose}
      allowDeselect={false}
      searchable={existing.length > 8}
      error={error}
    />
  );
}
