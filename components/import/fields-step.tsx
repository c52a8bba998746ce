"use client";

import { Badge, Button, Checkbox, Select, Textarea, TextInput } from "@mantine/core";
import {
  isImportable,
  type PlanField,
  type SourceColumn,
  sourceType,
  typesDisagree,
} from "@/server/custom-fields/import/schema";
import {
  type Definition,
  FIELD_TYPE_LABELS,
  FIELD_TYPES,
  MAX_FIELD_KEY,
  MAX_FIELD_NAME,
} from "@/server/custom-fields/schema";
import { count } from "../shell/amounts";
import { Message } from "../shell/message";
import { errorText } from "../shell/notice";
import { type Faults, useFaults } from "./faults";
import classes from "./import.module.css";
import { KeptMapping } from "./kept-mapping";
import { OtherScopes } from "./other-scopes";
import { type PlanDraft, usePlanDraft } from "./plan-draft";
import { TargetSelect, usePartnerFields } from "./target-select";
import type { StepProps } from "./wizard";

/** One row per source field: what it becomes here. */
export function FieldsStep(props: StepProps) {
  const draft = usePlanDraft(props.state);
  return draft && <Fields {...props} draft={draft} />;
}

function Fields({ state, onStep, draft }: StepProps & { draft: PlanDraft }) {
  const definitions = usePartnerFields();
  const faults = useFaults(state, draft.plan);
  const identifiers = new Set(Object.values(draft.plan.identifiers));
  const rows = draft.plan.fields.filter((field) => {
    const column = state.columns[field.column];
    return column && isImportable(column) && !identifiers.has(field.column);
  });
  const chosen = rows.filter((field) => field.action !== "skip").length;
  return (
    <>
      <p className={classes.lead}>
        {count(rows.length)} fields in the file, {count(chosen)} to be imported, from {count(state.totalRows)} rows. New
        fields belong to All organizations. Types are guessed from the values.
      </p>
      <KeptMapping state={state} flush={draft.flush} />
      <OtherScopes state={state} />
      {draft.error ? (
        <div className={classes.error}>
          <Message tone="bad">{errorText(draft.error)}</Message>
        </div>
      ) : null}
      <ul className={classes.fields} aria-label="Fields of the file">
        {rows.map((field) => (
          <FieldRow
            key={field.column}
            column={state.columns[field.column] as SourceColumn}
            field={field}
            draft={draft}
            definitions={definitions}
            faults={faults}
          />
        ))}
      </ul>
      <div className={classes.foot}>
        <Button type="submit" onClick={() => void draft.flush().then(() => onStep("values"))}>
          Go on to the values
        </Button>
      </div>
    </>
  );
}

type RowProps = {
  column: SourceColumn;
  field: PlanField;
  draft: PlanDraft;
  definitions: readonly Definition[];
  faults: Faults;
};

function FieldRow({ column, field, draft, definitions, faults }: RowProps) {
  const change = (part: Partial<PlanField>) => draft.changeField(field.column, part);
  const fault = faults.ofColumn(field.column);
  const isConflict = field.action === "existing" && typesDisagree(column, field.type);
  return (
    <li data-left={field.action === "skip" || undefined}>
      <div className={classes.source}>
        <strong>{column.title}</strong>
        {column.declared?.secret && (
          <Badge size="sm" variant="light" color="yellow">
            Secret
          </Badge>
        )}
        <Filled column={column} />
        <Samples column={column} />
      </div>
      <div className={classes.target}>
        <TargetSelect
          title={column.title}
          field={field}
          plan={draft.plan}
          definitions={definitions}
          error={isConflict ? null : fault}
          onChange={change}
        />
        {field.action === "create" && <NewField title={column.title} field={field} onChange={change} />}
        {isConflict && (
          <Checkbox
            size="sm"
            checked={field.typeConflictAccepted}
            onChange={(event) => change({ typeConflictAccepted: event.currentTarget.checked })}
            label={`The values look like ${FIELD_TYPE_LABELS[sourceType(column) ?? "text"].toLowerCase()}, the field is ${FIELD_TYPE_LABELS[field.type].toLowerCase()}: hold them to the field's type, and report those that do not fit`}
            error={field.typeConflictAccepted ? null : "Settle this, choose another field, or leave it out"}
          />
        )}
        {field.action !== "skip" && field.type === "date" && (
          <DateOrder title={column.title} column={column} field={field} onChange={change} />
        )}
      </div>
    </li>
  );
}

function Filled({ column }: { column: SourceColumn }) {
  if (column.rows === 0) return <span className={classes.quiet}>Definition only</span>;
  const share = Math.round((column.filled / column.rows) * 100);
  return (
    <span className={classes.quiet}>
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

type EditProps = { title: string; field: PlanField; onChange: (change: Partial<PlanField>) => void };
const TYPES = FIELD_TYPES.map((value) => ({ value, label: FIELD_TYPE_LABELS[value] }));

function NewField({ title, field, onChange }: EditProps) {
  return (
    <div className={classes.newField}>
      <TextInput
        size="xs"
        aria-label={`Name of the field for ${title}`}
        value={field.name}
        maxLength={MAX_FIELD_NAME}
        onChange={(event) => onChange({ name: event.currentTarget.value })}
        error={field.name.trim() === "" ? "Give it a name" : null}
      />
      <TextInput
        size="xs"
        aria-label={`Key of the field for ${title}`}
        ff="monospace"
        value={field.fieldKey}
        maxLength={MAX_FIELD_KEY}
        onChange={(event) => onChange({ fieldKey: event.currentTarget.value })}
        error={/^[a-z][a-z0-9_]*$/.test(field.fieldKey) ? null : "Small letters, digits and underscores"}
      />
      <Select
        size="xs"
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
        className={classes.wholeLine}
        size="sm"
        label="Secret: masked for people who may not change fields"
        aria-label={`Secret: the values of ${title} are masked`}
        checked={field.secret}
        onChange={(event) => onChange({ secret: event.currentTarget.checked })}
      />
      {field.type === "dropdown" && <Choices title={title} field={field} onChange={onChange} />}
    </div>
  );
}

function Choices({ title, field, onChange }: EditProps) {
  return (
    <Textarea
      className={classes.wholeLine}
      size="xs"
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

const ORDERS = [
  { value: "ymd", label: "Year, month, day" },
  { value: "mdy", label: "Month, day, year" },
  { value: "dmy", label: "Day, month, year" },
];

function DateOrder({ title, column, field, onChange }: EditProps & { column: SourceColumn }) {
  const sample = column.samples[0];
  return (
    <Select
      size="xs"
      label="Dates are written as"
      aria-label={`How the dates of ${title} are written`}
      description={
        column.guess?.dateOrderUnsure ? `The values do not tell: is ${sample} month first or day first?` : undefined
      }
      data={ORDERS}
      value={field.dateOrder}
      onChange={(value) => value && onChange({ dateOrder: value as PlanField["dateOrder"] })}
      allowDeselect={false}
    />
  );
}
