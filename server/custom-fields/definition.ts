import { and, eq, isNull, type SQL, sql } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { customFieldDefinitions, organizations } from "@/db/schema";
import type { Ctx, Scope } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { inScope } from "@/server/ground/scope";
import { requireMatch } from "@/server/ground/version";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { coerceValue } from "./coerce";
import type { Definition, FieldType, FieldValue } from "./schema";

export type DefinitionRow = typeof customFieldDefinitions.$inferSelect;

/** Definitions in the scope: those of its organizations, and of All organizations of their partner. */
export function visible(scope: Scope): SQL {
  if (scope.kind === "system") return sql`true`;
  const d = customFieldDefinitions;
  const { partnerId } = scope;
  const ofPartner =
    partnerId === null
      ? sql`${d.partnerId} IN (SELECT partner_id FROM organizations WHERE ${inScope(organizations.id, scope)})`
      : eq(d.partnerId, partnerId);
  return sql`(${inScope(d.orgId, scope)} OR (${isNull(d.orgId)} AND ${ofPartner}))`;
}

/** Row returned by a statement that writes exactly one. @throws AppError not_found if it wrote none */
export function requireRow(row: DefinitionRow | undefined): DefinitionRow {
  if (!row) throw notFound("custom field");
  return row;
}

/** Distinct choices of a field, because a list on the screen must not hold one twice. */
export const choicesOf = ({ options }: Pick<DefinitionRow, "options">): string[] | null =>
  options && [...new Set(options)];

export const toDefinition = (row: DefinitionRow): Definition => ({
  id: row.id,
  orgId: row.orgId,
  partnerId: row.partnerId,
  owner: row.orgId ? "organization" : "all_organizations",
  name: row.name,
  fieldKey: row.fieldKey,
  type: row.type,
  options: choicesOf(row),
  required: row.required,
  defaultValue: row.defaultValue,
  deviceTypes: row.deviceTypes,
  secret: row.secret,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});

/** A definition as shown to a caller: only those who may set a secret field see its options. */
export function shownDefinition(ctx: Ctx, row: DefinitionRow): Definition {
  const definition = toDefinition(row);
  const isOpen = !row.secret || ctx.permissions.has("custom_fields:manage");
  return isOpen ? definition : { ...definition, options: null, defaultValue: null };
}

/** A definition for the audit log, without the options of a secret field. */
export const auditable = (row: Definition, isSecret = row.secret): Record<string, unknown> => ({
  name: row.name,
  fieldKey: row.fieldKey,
  type: row.type,
  owner: row.owner,
  required: row.required,
  deviceTypes: row.deviceTypes,
  secret: row.secret,
  ...(isSecret ? {} : { options: row.options, defaultValue: row.defaultValue }),
});

/** A change for the audit log: a field that is secret before or after counts as secret in both. */
export function auditableChange(before: Definition, after: Definition): Record<"before" | "after", object> {
  const isSecret = before.secret || after.secret;
  return { before: auditable(before, isSecret), after: auditable(after, isSecret) };
}

type Facets = { type: FieldType; options: string[] | null; defaultValue: FieldValue | null };

/**
 * Options and default adapted to a type.
 * @throws AppError validation_failed where they do not fit it.
 */
export function fitToType({ type, options, defaultValue }: Facets): Pick<Facets, "options" | "defaultValue"> {
  const list = options?.length ? options : null;
  if (type === "dropdown" && !list) throw invalid("options", "a dropdown needs at least one choice");
  if (type !== "dropdown" && list) throw invalid("options", "only a dropdown has choices");
  if (defaultValue === null) return { options: list, defaultValue };
  const fitted = coerceValue({ type, options: list }, defaultValue);
  if (!fitted.ok) throw invalid("defaultValue", fitted.reason);
  return { options: list, defaultValue: fitted.value };
}

/**
 * A definition that the caller may change, locked for this transaction.
 * @throws AppError not_found; forbidden for a field of All organizations and a caller who does not reach them all,
 * because its values in the others would change too
 */
export async function manageable(tx: Tx, ctx: Ctx, id: string): Promise<DefinitionRow> {
  const [row] = await tx
    .select()
    .from(customFieldDefinitions)
    .where(and(visible(ctx.scope), eq(customFieldDefinitions.id, id)))
    .for("update");
  if (!row) throw notFound("custom field");
  if (row.orgId === null && ctx.scope.kind === "organization")
    throw new AppError("forbidden", "Only the partner may change a field of All organizations.");
  if (row.orgId === null) await requireWholePartner(tx, ctx);
  requireMatch(ctx, toDefinition(row));
  return row;
}
