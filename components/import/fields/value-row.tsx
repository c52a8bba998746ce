"use client";

import { Badge, Switch } from "@mantine/core";
import { memo } from "react";
import shared from "@/components/import/import.module.css";
import type { PlanDraft } from "@/components/import/plan-draft";
import type { PlanField, SourceColumn } from "@/server/custom-fields/import/plan-schema";
import classes from "./fields.module.css";
import { TargetSelect, type Targets } from "./target-select";

type ValueRowProps = {
  column: SourceColumn;
  field: PlanField;
  targets: Targets;
  fault: string | null;
  isGuess: boolean;
} & Pick<PlanDraft, "getPlan" | "changeField">;

/** One column: its target, and what happens when the device already has a value or the cell is blank. */
export const ValueRow = memo(function ValueRow(props: ValueRowProps) {
  const { column, field, targets, fault, isGuess, getPlan, changeField } = props;
  const change = (part: Partial<PlanField>) => changeField(field.column, part);
  const isActive = field.action !== "skip";
  return (
    <li data-left={!isActive || undefined}>
      <div className={classes.source}>
        <strong>{column.title}</strong>
        {isGuess && field.action === "existing" && (
          <Badge size="sm" variant="light" color="yellow">
            Guess
          </Badge>
        )}
        {isActive && field.name !== column.title && <span className={shared.quiet}>to {field.name}</span>}
      </div>
      <div className={classes.value}>
        <TargetSelect
          column={column}
          field={field}
          targets={targets}
          getPlan={getPlan}
          error={fault}
          onChange={change}
        />
        {field.action === "create" && <span className={shared.quiet}>New: no device holds a value of it yet</span>}
        {field.action === "existing" && (
          <>
            <Switch
              size="sm"
              label="Overwrite other values"
              aria-label={`Overwrite other values of ${field.name}`}
              checked={field.overwrite}
              onChange={(event) => change({ overwrite: event.currentTarget.checked })}
            />
            <Switch
              size="sm"
              label="Blank cells clear the value"
              aria-label={`Blank cells clear the value of ${field.name}`}
              checked={field.clearBlank}
              onChange={(event) => change({ clearBlank: event.currentTarget.checked })}
            />
          </>
        )}
      </div>
    </li>
  );
});
