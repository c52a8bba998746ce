"use client";

import { Badge, Checkbox, Textarea, TextInput } from "@mantine/core";
import { memo } from "react";
import { count } from "@/components/format/amounts";
import { ChoiceSelect } from "@/components/import/choice-select";
import shared from "@/components/import/import.module.css";
import type { PlanDraft } from "@/components/import/plan-draft";
import {
  type Misfit,
  misfitOf,
  type PlanField,
  type SecretSign,
  type SourceColumn,
  type UnknownChoices,
} from "@/server/custom-fields/import/plan-schema";
import { FIELD_TYPE_LABELS, FIELD_TYPES, MAX_FIELD_KEY, MAX_FIELD_NAME } from "@/server/custom-fields/schema";
import { ChoiceMapper } from "./choice-mapper";
import classes from "./fields.module.css";
import { TargetSelect, type Targets } from "./target-select";

type EditProps = { title: string; field: PlanField; onChange: (change: Partial<PlanField>) => void };

/** Everybody can read a dropdown's choices, so it cannot be secret. */
const asSecret = ({ type }: PlanField): Partial<PlanField> =>
  type === "dropdown" ? { secret: true, type: "text", options: null, decisions: [] } : { secret: true };

const label = { classNames: { label: classes.label } };

/** The properties of a new field, one cell each. */
function NewField({ title, field, onChange }: EditProps) {
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

type RowProps = {
  column: SourceColumn;
  field: PlanField;
  targets: Targets;
  fault: string | null;
  unknown: UnknownChoices | null;
} & Pick<PlanDraft, "getPlan" | "changeField">;

/** Memoized: a file may have hundreds of rows, and the user types into one of them. */
export const FieldRow = memo(function FieldRow(props: RowProps) {
  const { column, field, targets, fault, unknown, getPlan, changeField } = props;
  const misfit = unknown ? { count: unknown.count, odd: [] } : misfitOf(column, field);
  const change = (part: Partial<PlanField>) => changeField(field.column, part);
  const isConflict = field.action === "existing" && misfit !== null && misfit.count > 0;
  return (
    <li data-left={field.action === "skip" || undefined}>
      <div className={classes.source}>
        <strong>{column.title}</strong>
        {column.secret && (
          <Badge size="sm" variant="light" color="yellow" title={SECRET_REASON[column.secret]}>
            Secret
          </Badge>
        )}
        <Filled column={column} />
        <Samples column={column} />
      </div>
      <div className={classes.target}>
        <TargetSelect
          className={field.action === "create" ? undefined : classes.existing}
          column={column}
          field={field}
          targets={targets}
          getPlan={getPlan}
          error={isConflict ? null : fault}
          onChange={change}
        />
        {field.action !== "skip" && misfit && !unknown && <MisfitNote column={column} field={field} misfit={misfit} />}
        {field.action === "create" && <NewField title={column.title} field={field} onChange={change} />}
        {field.action !== "skip" && unknown && (
          <ChoiceMapper title={column.title} field={field} filled={column.filled} unknown={unknown} onChange={change} />
        )}
        {isConflict && (
          <Checkbox
            className={classes.wholeLine}
            size="sm"
            checked={field.typeConflictAccepted}
            onChange={(event) => change({ typeConflictAccepted: event.currentTarget.checked })}
            label="Import the values that fit and report the others"
            error={
              field.typeConflictAccepted
                ? null
                : unknown
                  ? "Map each value, accept this, or leave the field out"
                  : "Accept this, choose another field, or leave it out"
            }
          />
        )}
        {field.action !== "skip" && field.type === "date" && (
          <DateOrder title={column.title} column={column} field={field} onChange={change} />
        )}
      </div>
    </li>
  );
});

const SECRET_REASON: Record<SecretSign, string> = {
  declared: "The source product marks this field as a secret. It is left out unless you choose it.",
  masked: "The file shows masks instead of values. It is left out unless you choose it.",
  title: "The title names a secret. It is left out unless you choose it.",
};

/** "23 of 24 values fit; 1 does not: 2/30/2027 (line 31)" */
function MisfitNote({ column, field, misfit }: { column: SourceColumn; field: PlanField; misfit: Misfit }) {
  if (misfit.count === 0) return null;
  const which = misfit.odd.map(({ text, line }) => `${text} (line ${line})`).join(", ");
  const isGuess = field.action === "create" && column.declared?.type === undefined;
  return (
    <p className={classes.misfit}>
      {isGuess && "Guessed from the values. "}
      {count(column.filled - misfit.count)} of {count(column.filled)} values fit; {count(misfit.count)}{" "}
      {misfit.count === 1 ? "does" : "do"} not{which ? `: ${which}` : ""}
      {misfit.count > misfit.odd.length && which ? " and others" : ""}
    </p>
  );
}

function Filled({ column }: { column: SourceColumn }) {
  if (column.rows === 0) return <span className={shared.quiet}>Definition only</span>;
  const share = Math.round((column.filled / column.rows) * 100);
  return (
    <span className={shared.quiet}>
      <span className="tm-figures">{column.filled > 0 && share === 0 ? "under 1" : share} %</span> filled
    </span>
  );
}

function Samples({ column }: { column: SourceColumn }) {
  if (column.samples.length === 0) return null;
  return (
    <span className={classes.samples}>
      {column.samples.map((sample) => (
        <code key={sample}>{sample}</code>
      ))}
    </span>
  );
}

const ORDER_LABEL: Record<PlanField["dateOrder"], string> = {
  ymd: "Year, month, day",
  mdy: "Month, day, year",
  dmy: "Day, month, year",
};

function DateOrder({ title, column, field, onChange }: EditProps & { column: SourceColumn }) {
  const sample = column.samples[0];
  return (
    <ChoiceSelect
      className={classes.wholeLine}
      w={320}
      maw="100%"
      size="xs"
      label="Date format"
      aria-label={`How the dates of ${title} are written`}
      description={
        column.guess?.dateOrderUnsure ? `The values are ambiguous: is ${sample} month first or day first?` : undefined
      }
      labels={ORDER_LABEL}
      value={field.dateOrder}
      onChange={(dateOrder) => onChange({ dateOrder })}
    />
  );
}
