"use client";

import { Select } from "@mantine/core";
import type { PlanDraft } from "@/components/import/plan-draft";
import { isImportable, type SourceColumn } from "@/server/custom-fields/import/plan-schema";

/** What can identify a row's computer. */
export const IDENTIFIERS = [
  {
    name: "sourceId",
    label: "Source device ID",
    hint: "The computer's ID in the source product. It is recorded, so that later imports find each device exactly.",
  },
  {
    name: "hostname",
    label: "Hostname",
    hint: "Finds a device whose source ID is not recorded yet, if it names exactly one.",
  },
  { name: "organization", label: "Organization", hint: "Optional. Only narrows the search, never chooses." },
  { name: "serial", label: "Serial number", hint: "Optional. Only narrows the search, never chooses." },
] as const;

type IdentifierProps = {
  name: (typeof IDENTIFIERS)[number]["name"];
  label: string;
  hint: string;
  columns: SourceColumn[];
  draft: PlanDraft;
  guesses: Record<number, string>;
  error: string | null;
};

/** The column of one identifier; columns of other identifiers cannot be selected. */
export function IdentifierSelect({ name, label, hint, columns, draft, guesses, error }: IdentifierProps) {
  const { plan, change } = draft;
  const value = plan.identifiers[name];
  const others = new Set(Object.entries(plan.identifiers).flatMap(([key, column]) => (key === name ? [] : [column])));
  const data = columns
    .filter(isImportable)
    .map((column) => ({ value: String(column.index), label: column.title, disabled: others.has(column.index) }));
  const set = (next: string | null) => {
    const column = next === null ? null : Number(next);
    const fields = plan.fields.map((field) =>
      field.column === column ? { ...field, action: "skip" as const } : field,
    );
    change({ identifiers: { ...plan.identifiers, [name]: column }, fields });
  };
  const isGuess = value !== null && guesses[value] === "guess";
  return (
    <Select
      label={label}
      description={isGuess ? "Guessed from a similar header: please check. " : hint}
      placeholder="No column"
      data={data}
      value={value === null ? null : String(value)}
      onChange={set}
      searchable
      clearable
      clearButtonProps={{ "aria-label": `No column for ${label}` }}
      error={error}
    />
  );
}
