"use client";

import { Button, Select } from "@mantine/core";
import { useMe } from "@/components/account/org";
import { count, counted } from "@/components/format/amounts";
import shared from "@/components/import/import.module.css";
import type { PlanField, UnknownChoices } from "@/server/custom-fields/import/plan-schema";
import { addedChoices, type ChoiceDecision, MAX_CHOICE_DECISIONS } from "@/server/custom-fields/import/plan-schema";
import { MAX_CHOICE } from "@/server/custom-fields/schema";
import classes from "./fields.module.css";

type Value = UnknownChoices["values"][number];
type Props = {
  title: string;
  field: PlanField;
  /** How many cells of the column are filled. */
  filled: number;
  unknown: UnknownChoices;
  onChange: (change: Pick<PlanField, "decisions">) => void;
};

const SKIP = "skip";
const ADD = "add";
const MAP = "map ";

/** Converts a decision to an option of the select; toDecision is the inverse. */
const toOption = (decision: ChoiceDecision | undefined): string | null =>
  decision === undefined ? null : decision.action === "map" ? `${MAP}${decision.to}` : decision.action;

function toDecision(text: string, option: string | null): ChoiceDecision | null {
  if (option === null) return null;
  if (option === SKIP || option === ADD) return { text, action: option };
  return { text, action: "map", to: option.slice(MAP.length) };
}

/**
 * Unknown values of a dropdown's column, each with its count and first line: the user maps it to a choice, adds it as a
 * choice, or skips it. Nothing is preselected, and every decision can be cleared.
 */
export function ChoiceMapper({ title, field, filled, unknown, onChange }: Props) {
  const { allOrganizations } = useMe();
  const isOpen = ({ text }: Value) => !field.decisions.some((one) => one.text === text);
  const open = unknown.values.filter(isOpen);
  const addable = allOrganizations ? open.filter(({ text }) => text.length <= MAX_CHOICE) : [];
  const decide = (text: string, decision: ChoiceDecision | null) =>
    onChange({ decisions: [...field.decisions.filter((one) => one.text !== text), ...(decision ? [decision] : [])] });
  const addAll = () =>
    onChange({
      decisions: [...field.decisions, ...addable.map(({ text }) => ({ text, action: "add" as const }))].slice(
        0,
        MAX_CHOICE_DECISIONS,
      ),
    });
  const hasMore = unknown.different > open.length && unknown.values.length > 0;
  return (
    <fieldset className={classes.choices}>
      <legend>
        {unknown.count === 0
          ? "Every value has a choice or is left out."
          : `${count(unknown.count)} of ${counted(filled, "value")} ${unknown.count === 1 ? "matches" : "match"} no choice of ${field.name}.`}
      </legend>
      {unknown.values.length > 0 && (
        <ul>
          {unknown.values.map((value) => (
            <li key={value.text}>
              <span>
                <code>{value.text}</code>
                <span className={shared.quiet}>
                  {counted(value.uses, "row")}, {value.uses === 1 ? "" : "first in "}line {count(value.line)}
                </span>
              </span>
              <ChoiceOf title={title} value={value} field={field} onDecide={(one) => decide(value.text, one)} />
            </li>
          ))}
        </ul>
      )}
      {hasMore && (
        <p className={shared.quiet}>
          The most frequent are shown; {counted(unknown.different - open.length, "more value", "more values")} follow
          once these have a choice.
        </p>
      )}
      {addable.length > 1 && (
        <Button variant="default" size="compact-sm" onClick={addAll}>
          Add all {count(addable.length)} as choices
        </Button>
      )}
    </fieldset>
  );
}

type ChoiceProps = {
  title: string;
  value: Value;
  field: PlanField;
  onDecide: (decision: ChoiceDecision | null) => void;
};

function ChoiceOf({ title, value: { text }, field, onDecide }: ChoiceProps) {
  const { allOrganizations } = useMe();
  const choices = [...(field.options ?? []), ...addedChoices(field).filter((choice) => choice !== text)];
  return (
    <Select
      size="xs"
      aria-label={`What ${text} means in ${title}`}
      placeholder="Choose"
      clearable
      clearButtonProps={{ "aria-label": `Clear what ${text} means` }}
      searchable={choices.length > 8}
      data={[
        {
          group: "Map it to",
          items: choices.map((choice) => ({ value: `${MAP}${choice}`, label: choice })),
        },
        {
          group: "Or",
          items: [
            { value: ADD, label: "Add it as a choice", disabled: text.length > MAX_CHOICE || !allOrganizations },
            { value: SKIP, label: "Leave it out" },
          ],
        },
      ]}
      value={toOption(field.decisions.find((one) => one.text === text))}
      onChange={(option) => onDecide(toDecision(text, option))}
    />
  );
}
