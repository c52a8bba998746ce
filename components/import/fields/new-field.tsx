"use client";

import { Checkbox, Textarea, TextInput } from "@mantine/core";
import { ChoiceSelect } from "@/components/import/choice-select";
import type { PlanField } from "@/server/custom-fields/import/plan-schema";
import { FIELD_TYPE_LABELS, FIELD_TYPES, MAX_FIELD_KEY, MAX_FIELD_NAME } from "@/server/custom-fields/schema";
import classes from "./fields.module.css";

export type EditProps = { title: string; field: PlanField; onChange: (change: Partial<PlanField>) => void };

/** A dropdown's choices can be read by everybody, so a secret is none. */
const asSecret = ({ type }: PlanField): Partial<PlanField> =>
  type === "dropdown" ? { secret: true, type: "text", options: null, decisions: [] } : { secret: true };

const label = { classNames: { label: classes.label } };

/** The properties of a new field, one cell each. */
export function NewField({ title, field, onChange }: EditProps) {
  return (
    <>
      <TextInput
        size="xs"
        {...label}
        label="Name"
        aria-label={`Name of the field for ${title}`}
        value={field.name}
        maxLength={MAX_FIELD_NAME}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={field.name.trim() === "" ? "Enter a name" : null}
      />
      <TextInput
        size="xs"
        {...label}
        label="Key"
        aria-label={`Key of the field for ${title}`}
        styles={{ input: { fontFamily: "var(--mantine-font-family-monospace)" } }}
        value={field.fieldKey}
        maxLength={MAX_FIELD_KEY}
        onChange={(event) => onChange({ fieldKey: event.currentTarget.value })}
        error={/^[a-z][a-z0-9_]*$/.test(field.fieldKey) ? null : "Lowercase letters, digits and underscores"}
      />
      <ChoiceSelect
        size="xs"
        {...label}
        label="Type"
        aria-label={`Type of the field for ${title}`}
        choices={FIELD_TYPES.filter((type) => !field.secret || type !== "dropdown")}
        labels={FIELD_TYPE_LABELS}
        value={field.type}
        onChange={(type) => onChange({ type, options: type === "dropdown" ? (field.options ?? []) : null })}
      />
      <Checkbox
        className={classes.secret}
        size="sm"
        label="Secret"
        title="Masked for users who cannot edit fields, never written to the audit log"
        aria-label={`Secret: the values of ${title} are masked`}
        checked={field.secret}
        onChange={(event) => onChange(event.currentTarget.checked ? asSecret(field) : { secret: false })}
      />
      {field.type === "dropdown" && <Choices title={title} field={field} onChange={onChange} />}
    </>
  );
}

function Choices({ title, field, onChange }: EditProps) {
  return (
    <Textarea
      className={classes.wholeLine}
      size="xs"
      label="Choices, one per line"
      aria-label={`Choices of the field for ${title}, one per line`}
      autosize
      minRows={2}
      maxRows={6}
      defaultValue={(field.options ?? []).join("\n")}
      onBlur={(event) =>
        onChange({
          options: [...new Set(event.currentTarget.value.split("\n").map((line) => line.trim()))].filter(Boolean),
        })
      }
      error={field.options?.length ? null : "One choice per line"}
    />
  );
}
