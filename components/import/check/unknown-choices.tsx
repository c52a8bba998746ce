"use client";

import { ChoiceMapper } from "@/components/import/fields/choice-mapper";
import { useFaults } from "@/components/import/fields/faults";
import classes from "@/components/import/fields/fields.module.css";
import type { PlanDraft } from "@/components/import/plan-draft";
import { Section } from "@/components/ui/section";
import type { ImportState } from "@/server/custom-fields/import/schema";

/** Unknown choices of dropdown fields, which can be mapped from within the check. */
export function UnknownInCheck({ state, draft }: { state: ImportState; draft: PlanDraft }) {
  const faults = useFaults(state, draft.plan);
  const found = draft.plan.fields.flatMap((field) => {
    const unknown = field.action === "skip" ? null : faults.unknownChoices(field.column);
    const column = state.columns[field.column];
    return unknown && column ? [{ field, unknown, column }] : [];
  });
  if (found.length === 0) return null;
  return (
    <Section
      title="Values that match no choice of their field"
      lead="Map each value to a choice, add it as a choice or leave it out, then check again. Nothing is guessed."
      flush
    >
      <ul className={classes.fields} aria-label="Fields with values that match none of their choices">
        {found.map(({ field, unknown, column }) => (
          <li key={field.column}>
            <div className={classes.source}>
              <strong>{column.title}</strong>
            </div>
            <ChoiceMapper
              title={column.title}
              field={field}
              filled={column.filled}
              unknown={unknown}
              onChange={(part) => draft.changeField(field.column, part)}
            />
          </li>
        ))}
      </ul>
    </Section>
  );
}
