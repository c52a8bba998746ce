"use client";

import { Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import type { PlanField } from "@/server/custom-fields/import/schema";
import { FIELD_TYPE_LABELS, FIELD_TYPES, MAX_FIELD_KEY, MAX_FIELD_NAME } from "@/server/custom-fields/schema";
import classes from "./fields.module.css";

export type EditProps = { title: string; field: PlanField; onChange: (change: Partial<PlanField>) => void };

const TYPES = FIELD_TYPES.map((value) => ({ value, label: FIELD_TYPE_LABELS[value] }));
const label = { classNames: { label: classes.label } };

/** What a field is to be made of: one line with a cell per property. */
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
        error={field.name.trim() === "" ? "Give it a name" : null}
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
        error={/^[a-z][a-z0-9_]*$/.test(field.fieldKey) ? null : "Small letters, digits and underscores"}
      />
      <Select
        size="xs"
        {...label}
        label="Type"
        aria-label={`Type of the field for ${title}`}
        data={TYPES}
        value={field.type}
        onChange={(value) =>
          value &&
          onChange({ type: value as PlanField["type"], options: value === "dropdown" ? (field.options ?? []) : null })
        }
        allowDeselect={false}
      />
      <Checkbox
        className={classes.secret}
        size="sm"
        label="Secret"
        title="Masked for people who may not change fields, never in the audit log"
        aria-label={`Secret: the values of ${title} are masked`}
        checked={field.secret}
        onChange={(event) => onChange({ secret: event.currentTarget.checked })}
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
      label="Choices, one a line"
      aria-label={`Choices of the field for ${title}, one a line`}
      autosize
      minRows={2}
      maxRows={6}
      defaultValue={(field.options ?? []).join("\n")}
      onBlur={(event) =>
        onChange({
          options: [...new Set(event.currentTarget.value.split("\n").map((line) => line.trim()))].filter(Boolean),
        })
      }
      error={field.options?.length ? null : "One choice a line"}
    />
  );
}
