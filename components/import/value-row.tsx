"use client";

import { Badge, Switch } from "@mantine/core";
import type { PlanField, SourceColumn } from "@/server/custom-fields/import/schema";
import classes from "./fields.module.css";
import shared from "./import.module.css";
import type { PlanDraft } from "./plan-draft";

type ValueRowProps = {
  column: SourceColumn;
  field: PlanField;
  draft: PlanDraft;
  isGuess: boolean;
  children: React.ReactNode;
};

/** One column: where it goes (the child) and what happens where a device holds a value already, or the cell is blank. */
export function ValueRow({ column, field, draft, isGuess, children }: ValueRowProps) {
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
        {children}
        {field.action === "create" && <span className={shared.quiet}>New: no device holds a value of it yet</span>}
        {field.action === "existing" && (
          <>
            <Switch
              size="sm"
              label="Overwrite other values"
              aria-label={`Overwrite other values of ${field.name}`}
              checked={field.overwrite}
              onChange={(event) => draft.changeField(field.column, { overwrite: event.currentTarget.checked })}
            />
            <Switch
              size="sm"
              label="Blank cells clear"
              aria-label={`Blank cells clear ${field.name}`}
              checked={field.clearBlank}
              onChange={(event) => draft.changeField(field.column, { clearBlank: event.currentTarget.checked })}
            />
          </>
        )}
      </div>
    </li>
  );
}
