import { sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { coerceText } from "@/server/custom-fields/coerce";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import {
  type ActivePlanField,
  activeFields,
  addedChoices,
  IDENTIFIERS,
  isHidden,
  isImportable,
  MAX_DECIDED_TEXT,
  misfitOf,
  type Plan,
  type PlanField,
  plannedChoices,
  type SourceColumn,
  type UnknownChoices,
} from "@/server/custom-fields/import/plan-schema";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import { MAX_CHOICE, MAX_CHOICES, RESERVED_KEYS } from "@/server/custom-fields/schema";
import { AppError, type FieldError } from "@/server/ground/errors";
import { capitalized } from "@/server/ground/text";
import type { Known } from "./default-plan";

/** Undecided values shown per column. */
const SHOWN = 50;
type Used = { column: number; text: string; uses: number; line: number };

/** Distinct values of some columns with number of uses and first line, in one statement. */
async function readUses(tx: Tx, importId: string, columns: readonly number[]): Promise<Used[]> {
  const cells = columns.map((column) => sql`(${column}::int, r.cells ->> ${column}::int)`);
  return rowsOf<Used>(
    tx,
    sql`
    SELECT c.column_no AS "column", c.text, count(*)::int AS uses, min(r.line)::int AS line
    FROM custom_field_import_rows r CROSS JOIN LATERAL (VALUES ${sql.join(cells, sql`, `)}) AS c(column_no, text)
    WHERE r.import_id = ${importId}::uuid AND r.fault IS NULL AND c.text <> ''
    GROUP BY 1, 2 ORDER BY 3 DESC, 2`,
  );
}

/** A planned field with its current definition. */
function current(field: ActivePlanField, definitions: readonly DefinitionRow[]): ActivePlanField {
  const definition = definitions.find(({ id }) => id === field.fieldId);
  return definition ? { ...field, type: definition.type, options: definition.options } : field;
}

/** Values of one column that are not choices: undecided ones counted, decided ones listed too. */
function unknownOf(field: ActivePlanField, used: readonly Used[], hidden: boolean): UnknownChoices[] {
  const unknown = used.filter(({ column, text }) => column === field.column && !coerceText(field, text).ok);
  if (unknown.length === 0) return [];
  const decided = new Set(field.decisions.map(({ text }) => text));
  const open = unknown.filter(({ text }) => !decided.has(text));
  const shown = new Set(
    open
      .filter(({ text }) => text.length <= MAX_DECIDED_TEXT)
      .slice(0, SHOWN)
      .map(({ text }) => text),
  );
  const values = unknown.flatMap(({ text, uses, line }) =>
    decided.has(text) || shown.has(text) ? [{ text, uses, line }] : [],
  );
  return [
    {
      column: field.column,
      count: open.reduce((sum, value) => sum + value.uses, 0),
      different: open.length,
      values: hidden ? [] : values,
    },
  ];
}

/** Values of planned dropdowns that are not choices, by column: count, examples and lines. */
export async function unknownChoices(
  tx: Tx,
  { importId, plan, known: { columns, definitions } }: { importId: string; plan: Plan; known: Known },
): Promise<UnknownChoices[]> {
  const dropdowns = activeFields(plan)
    .map((field) => current(field, definitions))
    .filter(({ type }) => type === "dropdown");
  if (dropdowns.length === 0) return [];
  const uses = await readUses(
    tx,
    importId,
    dropdowns.map(({ column }) => column),
  );
  return dropdowns.flatMap((field) => {
    const column = columns[field.column];
    return unknownOf(field, uses, column ? isHidden(column, field) : field.secret);
  });
}

/** With counted values; without them, invalid values are no fault. */
type Judged = Known & { unknown?: readonly UnknownChoices[] };

function misfits(field: PlanField, { columns, unknown = [] }: Judged): number {
  const column = columns[field.column];
  const misfit = column ? misfitOf(column, field) : null;
  return misfit?.count ?? unknown.find((one) => one.column === field.column)?.count ?? 0;
}

/** Fault in a dropdown's choices, or in the mapping of its values. */
function choiceFault(field: PlanField, { unknown }: Judged): string | null {
  const choices = plannedChoices(field);
  if (field.type !== "dropdown" || !choices || !unknown) return null;
  if (choices.length > MAX_CHOICES) return `a dropdown has at most ${MAX_CHOICES} choices`;
  const long = choices.find((choice) => choice.length > MAX_CHOICE);
  if (long) return `a choice has at most ${MAX_CHOICE} characters: ${long.slice(0, 40)}…`;
  const lost = field.decisions.find((one) => one.action === "map" && !choices.includes(one.to));
  return lost?.action === "map" ? `${lost.text} is mapped to ${lost.to}, which is no choice of the field` : null;
}

function targetFault(field: PlanField, known: Judged): string | null {
  const definition = known.definitions.find((d) => d.id === field.fieldId);
  if (!definition) return "the custom field no longer exists: choose another one";
  const planned = { ...field, type: definition.type, options: definition.options };
  const choice = choiceFault(planned, known);
  if (choice) return choice;
  if (!known.mayDefine && addedChoices(planned).length > 0)
    return "a choice is added by who reaches all organizations: read these values as choices that there are, or leave them out";
  if (!known.unknown || field.typeConflictAccepted) return null;
  const count = misfits(planned, known);
  const filled = known.columns[field.column]?.filled ?? count;
  if (count === 0) return null;
  return `${count} of ${filled} values ${count === 1 ? "does" : "do"} not fit the field: choose how to handle this`;
}

/** Faults that prevent checking a plan, by field. */
export function planFaults(plan: Plan, known: Judged): FieldError[] {
  const { columns, definitions, mayDefine } = known;
  const errors: FieldError[] = [];
  const say = (path: string, message: string) => void errors.push({ path, message });
  const { identifiers } = plan;
  // A list of fields has no computers: its fields are created, with nothing to match.
  const hasRows = columns.some(({ rows }) => rows > 0);
  if (hasRows && identifiers.sourceId === null && identifiers.hostname === null)
    say("identifiers", "map a column to Source device ID or Hostname");
  const used = new Set<number>();
  const use = (column: number, path: string) => {
    if (column >= columns.length) say(path, "the file has no such column");
    else if (used.has(column)) say(path, "this column is used twice: give it one use alone");
    else used.add(column);
  };
  for (const which of IDENTIFIERS) if (identifiers[which] !== null) use(identifiers[which], `identifiers.${which}`);
  const targets = new Set<string>();
  const keys = new Map(definitions.map((d) => [d.fieldKey, d.id]));
  plan.fields.forEach((field, i) => {
    const path = `fields.${i}`;
    if (field.action === "skip") return;
    use(field.column, path);
    const column = columns[field.column];
    if (column && !isImportable(column)) say(path, `is a ${column.declared?.scope} field, which is not imported`);
    if (!field.fieldId || targets.has(field.fieldId)) say(path, "a custom field can be chosen only once");
    else targets.add(field.fieldId);
    if (field.action === "existing") {
      const fault = targetFault(field, known);
      if (fault) say(path, fault);
      return;
    }
    if (!mayDefine)
      say(path, "a new field is made by who reaches all organizations: choose one that exists, or leave it out");
    if (field.type === "dropdown" && !plannedChoices(field)?.length) say(path, "a dropdown needs at least one choice");
    const fault = choiceFault(field, known);
    if (fault) say(path, fault);
    if (RESERVED_KEYS.has(field.fieldKey))
      say(`${path}.fieldKey`, `the key ${field.fieldKey} is a reserved word: choose another one`);
    const owner = keys.get(field.fieldKey);
    if (owner && owner !== field.fieldId) say(`${path}.fieldKey`, `the key ${field.fieldKey} is taken`);
    keys.set(field.fieldKey, field.fieldId ?? "");
  });
  if (plan.fields.every((field) => field.action === "skip")) say("fields", "choose at least one field");
  return errors;
}

/** A fault as a sentence that names the column instead of a path. */
function sentenceOf({ path, message }: FieldError, plan: Plan, columns: SourceColumn[]): string {
  const [kind, which] = path.split(".");
  const field = kind === "fields" && which !== undefined ? plan.fields[Number(which)] : undefined;
  const identifier = IDENTIFIERS.find((known) => kind === "identifiers" && known === which);
  const column = field?.column ?? (identifier && plan.identifiers[identifier]) ?? -1;
  const title = columns[column]?.title ?? field?.name;
  return title ? `${title}: ${message}.` : `${capitalized(message)}.`;
}

/** @throws AppError conflict without a plan */
export function requirePlan({ plan }: ImportRecord): Plan {
  if (!plan) throw new AppError("conflict", "Map the fields first.");
  return plan;
}

/** @throws AppError validation_failed with every fault of the plan, in words */
export function requireSound(plan: Plan, known: Judged): void {
  const errors = planFaults(plan, known);
  const [first] = errors;
  if (!first) return;
  const more = errors.length > 1 ? ` ${errors.length - 1} more to resolve.` : "";
  throw new AppError("validation_failed", `${sentenceOf(first, plan, known.columns)}${more}`, {
    errors: errors.slice(0, 50),
  });
}
