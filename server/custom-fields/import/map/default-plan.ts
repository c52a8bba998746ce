import type { Tx } from "@/db/client";
import { customFieldDefinitions } from "@/db/schema";
import type { DefinitionRow } from "@/server/custom-fields/definition";
import { normaliseHeader } from "@/server/custom-fields/import/normalise";
import {
  IDENTIFIER_LABELS,
  IDENTIFIERS,
  type Identifier,
  isImportable,
  NO_IDENTIFIERS,
  type Plan,
  type PlanField,
  type SourceColumn,
  sourceType,
} from "@/server/custom-fields/import/plan-schema";
import type { Preset } from "@/server/custom-fields/import/presets";
import type { ImportRecord } from "@/server/custom-fields/import/record";
import { freeFieldKey, MAX_FIELD_NAME } from "@/server/custom-fields/schema";
import type { Ctx } from "@/server/ground/context";
import { newId } from "@/server/ground/ids";
import { ofOwner } from "@/server/ground/scope";
import { inOneLine } from "@/server/ground/text";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { type Guess, guessMapping, type Target } from "./guess-mapping";

/** The partner's definitions for All organizations, the only ones that an import writes to. */
export function partnerDefinitions(tx: Tx, partnerId: string): Promise<DefinitionRow[]> {
  const d = customFieldDefinitions;
  return tx
    .select()
    .from(d)
    .where(ofOwner(d, { orgId: null, partnerId }));
}

/** Facts by which plans are made and judged. */
export type Known = {
  columns: SourceColumn[];
  definitions: DefinitionRow[];
  /** Whether the caller may define fields of All organizations. */
  mayDefine: boolean;
};

export const loadKnown = async (
  tx: Tx,
  ctx: Ctx,
  { columns, partnerId }: Pick<ImportRecord, "columns" | "partnerId">,
): Promise<Known> => ({
  columns,
  definitions: await partnerDefinitions(tx, partnerId),
  mayDefine: await reachesWholePartner(tx, ctx),
});

const identifierTarget = (which: Identifier) => `identifier:${which}`;
const fieldTarget = (definition: DefinitionRow) => `field:${definition.id}`;

/** Guesses identifiers and fields together, so that each column and target is used once. */
export function propose({ columns, definitions }: Known, preset: Preset): (Guess | null)[] {
  const targets: Target[] = [
    ...IDENTIFIERS.map((id) => ({
      id: identifierTarget(id),
      names: [IDENTIFIER_LABELS[id]],
      aliases: preset.aliases[id],
    })),
    ...definitions.map((d) => ({ id: fieldTarget(d), names: [d.name, d.fieldKey] })),
  ];
  return guessMapping(
    columns.map((c) => c.title),
    targets,
  );
}

/** Properties of a planned field that an existing definition determines. */
export const intoExisting = (
  d: DefinitionRow,
): Pick<PlanField, "fieldId" | "name" | "fieldKey" | "type" | "options" | "secret"> => ({
  fieldId: d.id,
  name: d.name,
  fieldKey: d.fieldKey,
  type: d.type,
  options: d.options,
  secret: d.secret,
});

/** Proposal for a column: into the definition, as a new field, or left out. */
function newField(
  column: SourceColumn,
  { definition, taken, preset }: { definition: DefinitionRow | undefined; taken: Set<string>; preset: Preset },
): PlanField {
  const ignored = preset.ignored.includes(normaliseHeader(column.title));
  const leftOut =
    !isImportable(column) || column.secret !== null || ignored || (column.filled === 0 && !column.declared);
  const base = {
    column: column.index,
    dateOrder: column.guess?.dateOrder ?? preset.dateOrder,
    typeConflictAccepted: false,
    decisions: [],
    overwrite: false,
    clearBlank: false,
  };
  if (definition) return { ...base, ...intoExisting(definition), action: leftOut ? "skip" : "existing" };
  const options = column.declared?.options ?? column.guess?.options ?? null;
  const guessed = sourceType(column) ?? "text";
  const type = guessed === "dropdown" && !options?.length ? "text" : guessed;
  return {
    ...base,
    action: leftOut ? "skip" : "create",
    fieldId: newId(),
    name: inOneLine(column.title).slice(0, MAX_FIELD_NAME).trim() || "Field",
    fieldKey: freeFieldKey(column.title, taken),
    type,
    options: type === "dropdown" ? options : null,
    secret: column.secret !== null,
  };
}

/** A plan without new fields, for people who may not define fields of All organizations. */
export const definingNothing = (plan: Plan): Plan => ({
  ...plan,
  fields: plan.fields.map((field) => ({
    ...field,
    action: field.action === "create" ? "skip" : field.action,
    decisions: field.decisions.filter(({ action }) => action !== "add"),
  })),
});

/**
 * Initial plan of the wizard: identifiers and existing fields preselected, every other column a new field or left out.
 * Has an entry per column; identifier columns are left out as fields.
 */
export function defaultPlan(known: Known, preset: Preset): Plan {
  const { columns, definitions, mayDefine } = known;
  const proposals = propose(known, preset);
  const identifiers = { ...NO_IDENTIFIERS };
  const taken = new Set(definitions.map((d) => d.fieldKey));
  const fields = columns.map((column, i): PlanField => {
    const target = proposals[i]?.target;
    const definition = definitions.find((d) => target === fieldTarget(d));
    const field = newField(column, { definition, taken, preset });
    const identifier = IDENTIFIERS.find((which) => target === identifierTarget(which));
    if (!identifier) return field;
    identifiers[identifier] = column.index;
    return { ...field, action: "skip" };
  });
  const plan = { identifiers, fields };
  return mayDefine ? plan : definingNothing(plan);
}
