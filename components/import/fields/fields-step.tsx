"use client";

import { Badge, Button, Checkbox } from "@mantine/core";
import { memo } from "react";
import { count } from "@/components/format/amounts";
import { ChoiceSelect } from "@/components/import/choice-select";
import shared from "@/components/import/import.module.css";
import { OtherScopes } from "@/components/import/source/other-scopes";
import type { StepProps } from "@/components/import/steps";
import { Message } from "@/components/ui/message";
import { errorText } from "@/components/ui/notice";
import {
  DATE_ORDERS,
  type PlanField,
  type SourceColumn,
  sourceType,
  typesDisagree,
} from "@/server/custom-fields/import/schema";
import { FIELD_TYPE_LABELS } from "@/server/custom-fields/schema";
import { fieldColumns } from "./columns";
import { useFaults } from "./faults";
import classes from "./fields.module.css";
import { KeptMapping } from "./kept-mapping";
import { type EditProps, NewField } from "./new-field";
import { type PlanDraft, usePlanDraft } from "./plan-draft";
import { TargetSelect, type Targets, useTargets } from "./target-select";

/** One row per source field: what it becomes here. */
export function FieldsStep(props: StepProps) {
  const draft = usePlanDraft(props.state);
  return draft && <Fields {...props} draft={draft} />;
}

function Fields({ state, onStep, draft }: StepProps & { draft: PlanDraft }) {
  const targets = useTargets(draft.plan);
  const faults = useFaults(state, draft.plan);
  const rows = fieldColumns(state, draft.plan);
  const chosen = rows.filter(({ field }) => field.action !== "skip").length;
  return (
    <>
      <p className={shared.lead}>
        {count(rows.length)} fields in the file, {count(chosen)} to be imported, from {count(state.totalRows)} rows. New
        fields belong to All organizations; their types are guessed from the values.
      </p>
      <KeptMapping state={state} flush={draft.flush} />
      <OtherScopes state={state} />
      {draft.error ? (
        <div className={shared.error}>
          <Message tone="bad">{errorText(draft.error)}</Message>
        </div>
      ) : null}
      <div className={classes.columns} aria-hidden>
        <span>Field of the file</span>
        <span className={classes.target}>
          <span>Destination</span>
          <span>Name</span>
          <span>Key</span>
          <span>Type</span>
        </span>
      </div>
      <ul className={classes.fields} aria-label="Fields of the file">
        {rows.map(({ field, column }) => (
          <FieldRow
            key={field.column}
            column={column}
            field={field}
            targets={targets}
            fault={faults.ofColumn(field.column)}
            getPlan={draft.getPlan}
            changeField={draft.changeField}
          />
        ))}
      </ul>
      <div className={shared.foot}>
        <Button type="submit" onClick={() => void draft.flush().then(() => onStep("values"))}>
          Continue
        </Button>
      </div>
    </>
  );
}

type RowProps = {
  column: SourceColumn;
  field: PlanField;
  targets: Targets;
  fault: string | null;
} & Pick<PlanDraft, "getPlan" | "changeField">;

/** Drawn again only when its own field changes: a file may have hundreds, and one of them is being typed into. */
const FieldRow = memo(function FieldRow({ column, field, targets, fault, getPlan, changeField }: RowProps) {
  const change = (part: Partial<PlanField>) => changeField(field.column, part);
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
          className={field.action === "create" ? undefined : classes.existing}
          title={column.title}
          field={field}
          targets={targets}
          getPlan={getPlan}
          error={isConflict ? null : fault}
          onChange={change}
        />
        {field.action === "create" && <NewField title={column.title} field={field} onChange={change} />}
        {isConflict && (
          <Checkbox
            className={classes.wholeLine}
            size="sm"
            checked={field.typeConflictAccepted}
            onChange={(event) => change({ typeConflictAccepted: event.currentTarget.checked })}
            label={`The values look like ${FIELD_TYPE_LABELS[sourceType(column) ?? "text"].toLowerCase()}, the field is ${FIELD_TYPE_LABELS[field.type].toLowerCase()}: import the values that fit the field's type, and report the others`}
            error={field.typeConflictAccepted ? null : "Accept this, choose another field, or leave it out"}
          />
        )}
        {field.action !== "skip" && field.type === "date" && (
          <DateOrder title={column.title} column={column} field={field} onChange={change} />
        )}
      </div>
    </li>
  );
});

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
      label="Dates are written as"
      aria-label={`How the dates of ${title} are written`}
      description={
        column.guess?.dateOrderUnsure ? `The values leave it open: is ${sample} month first or day first?` : undefined
      }
      choices={DATE_ORDERS}
      labels={ORDER_LABEL}
      value={field.dateOrder}
      onChange={(dateOrder) => onChange({ dateOrder })}
    />
  );
}
