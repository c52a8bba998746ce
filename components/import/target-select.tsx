"use client";

import { Select } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import type { Plan, PlanField } from "@/server/custom-fields/import/schema";
import { type Definition, FIELD_TYPE_LABELS } from "@/server/custom-fields/schema";
import { useTRPC } from "../trpc";

const NEW = "new";
const SKIP = "skip";

/** The partner's definitions: the only ones that an import writes to. */
export function usePartnerFields(): Definition[] {
  const list = useQuery(useTRPC().customFields.list.queryOptions({}));
  return list.data?.data.filter((field) => field.orgId === null) ?? [];
}

type Props = {
  className?: string;
  title: string;
  field: PlanField;
  plan: Plan;
  definitions: readonly Definition[];
  error: string | null;
  onChange: (change: Partial<PlanField>) => void;
};

/** Where a source field goes: into a new field, into an existing one that no other column has, or nowhere. */
export function TargetSelect({ className, title, field, plan, definitions, error, onChange }: Props) {
  const taken = new Set(
    plan.fields.flatMap((f) => (f.column !== field.column && f.action === "existing" && f.fieldId ? [f.fieldId] : [])),
  );
  const existing = definitions.map((d) => ({
    value: d.id,
    label: `${d.name} (${FIELD_TYPE_LABELS[d.type]})`,
    disabled: taken.has(d.id),
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
      });
    else
      onChange(field.action === "existing" ? { ...freshField(title, plan), action: "create" } : { action: "create" });
  };
  const value = field.action === "skip" ? SKIP : field.action === "existing" ? field.fieldId : NEW;
  return (
    <Select
      className={className}
      aria-label={`Where ${title} goes`}
      size="xs"
      data={[
        { value: NEW, label: "Create a new field" },
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

/** A field of its own for a column that was mapped to an existing one before. */
function freshField(title: string, plan: Plan): Pick<PlanField, "fieldId" | "name" | "fieldKey" | "secret"> {
  const base =
    title
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "_")
      .replace(/^[^a-z]+|_+$/g, "")
      .slice(0, 90) || "field";
  const taken = new Set(plan.fields.map((f) => f.fieldKey));
  let key = base;
  for (let n = 2; taken.has(key); n++) key = `${base}_${n}`;
  return { fieldId: crypto.randomUUID(), name: title, fieldKey: key, secret: false };
}
