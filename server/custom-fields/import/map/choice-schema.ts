import { z } from "zod";
import { type FieldType, MAX_CHOICE } from "@/server/custom-fields/schema";

/** Values of one column that may be decided about: beyond them it is no dropdown. */
export const MAX_CHOICE_DECISIONS = 500;
/** Characters of a value that can be decided about one by one. */
export const MAX_DECIDED_TEXT = 1_000;

const text = z.string().min(1).max(MAX_DECIDED_TEXT);

/** What a person decided about a value that is none of a dropdown's choices; text is the file's, to the letter. */
const choiceDecision = z.discriminatedUnion("action", [
  /** Read as that choice. */
  z.strictObject({ text, action: z.literal("map"), to: z.string().min(1).max(MAX_CHOICE) }),
  /** Becomes a choice of the field itself. */
  z.strictObject({ text, action: z.literal("add") }),
  /** Not imported, and not reported as invalid. */
  z.strictObject({ text, action: z.literal("skip") }),
]);
export type ChoiceDecision = z.output<typeof choiceDecision>;

export const choiceDecisions = z
  .array(choiceDecision)
  .max(MAX_CHOICE_DECISIONS, `has more than ${MAX_CHOICE_DECISIONS} entries`)
  .refine((list) => new Set(list.map((one) => one.text)).size === list.length, "decides about a value twice");

/** A dropdown as it is planned: its choices, and what was decided about the values that are none of them. */
type PlannedDropdown = { type: FieldType; options: readonly string[] | null; decisions?: readonly ChoiceDecision[] };

/** The values that become choices of the field; they are none yet. */
export const addedChoices = ({ type, options, decisions = [] }: PlannedDropdown): string[] =>
  type === "dropdown"
    ? decisions.flatMap(({ action, text }) => (action === "add" && !options?.includes(text) ? [text] : []))
    : [];

/** The choices of a field once the import has run; null for a field that has none. */
export const plannedChoices = (field: PlannedDropdown): string[] | null =>
  field.type === "dropdown" ? [...(field.options ?? []), ...addedChoices(field)] : (field.options?.slice() ?? null);

/** Value to the choice that it is read as; null for one that is left out. */
export const decidedTexts = ({ type, decisions = [] }: PlannedDropdown): ReadonlyMap<string, string | null> =>
  new Map(
    type === "dropdown"
      ? decisions.flatMap((one): [string, string | null][] =>
          one.action === "add" ? [] : [[one.text, one.action === "map" ? one.to : null]],
        )
      : [],
  );
