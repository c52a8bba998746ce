import { and, asc, count, eq, type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { rowsOf } from "@/db/rows";
import { customFieldDefinitions, organizations } from "@/db/schema/index";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/quota";
import { operation } from "@/server/ground/operation";
import { type Owner, ofOwner, ownPartner } from "@/server/ground/scope";
import { idInput } from "@/server/ground/wire";
import { requireWholePartner } from "@/server/identity/auth/grant";
import type { FieldRule } from "./coerce";
import {
  auditable,
  type DefinitionRow,
  fitToType,
  manageable,
  requireRow,
  shownDefinition,
  toDefinition,
  visible,
} from "./definition";
import {
  type CreateInput,
  createInput,
  definition,
  definitionList,
  listInput,
  MAX_DEFINITIONS_PER_OWNER,
  usage,
} from "./schema";

/**
 * Values have no foreign key to definitions, because each device has one document. Writers of values therefore hold the
 * partner's definitions as read, and deleting or retyping waits for them and they for it. Each takes the lock before
 * reading.
 */
const keyOf = (partnerId: SQL): SQL => sql`hashtextextended('custom field definitions of ' || ${partnerId}::text, 0)`;

/** Shared lock for writing values of a device's organization, until the transaction ends. */
export const holdDefinitionsOf = (tx: Tx, { orgId }: { orgId: string }): Promise<unknown> =>
  tx.execute(sql`
    SELECT pg_advisory_xact_lock_shared(${keyOf(sql`partner_id`)}) FROM organizations WHERE id = ${orgId}::uuid`);

/** Shared lock for writing values in any organization of the partner, until the transaction ends. */
export const holdDefinitions = (tx: Tx, { partnerId }: { partnerId: string }): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock_shared(${keyOf(sql`${partnerId}`)})`);

/** Exclusive lock for deleting or retyping a definition of the partner, until the transaction ends. */
export const lockDefinitions = (tx: Tx, { partnerId }: { partnerId: string }): Promise<unknown> =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(${keyOf(sql`${partnerId}`)})`);

/** Rules of the definitions with these ids; unknown ids are ignored. */
export async function rulesOf(tx: Tx, ids: Iterable<string>): Promise<ReadonlyMap<string, FieldRule>> {
  const rows = await rowsOf<FieldRule & { id: string }>(
    tx,
    sql`SELECT id, type, options FROM custom_field_definitions WHERE id = ANY(${uuids(ids)})`,
  );
  return new Map(rows.map(({ id, ...rule }) => [id, rule]));
}

/** Rows of values (v) that may hold the field: its owner's organization, or all of its partner's. */
export const holders = (row: Pick<DefinitionRow, "id" | "orgId" | "partnerId">): SQL => sql`
  custom_field_values v WHERE v.values ? ${row.id}
    AND v.org_id ${row.orgId ? sql`= ${row.orgId}::uuid` : sql`IN (SELECT id FROM organizations WHERE partner_id = ${row.partnerId}::uuid)`}`;

/** Definitions in the caller's reach by name: organizations' own and those of All organizations. */
export const listDefinitions = operation({
  permission: "custom_fields:read",
  input: listInput,
  output: definitionList,
  async run(ctx, _input) {
    const rows = await tenant(ctx.scope, (tx) =>
      tx
        .select()
        .from(customFieldDefinitions)
        .where(visible(ctx.scope))
        .orderBy(asc(customFieldDefinitions.name), asc(customFieldDefinitions.id)),
    );
    return { data: rows.map((row) => shownDefinition(ctx, row)) };
  },
});

/** @throws AppError not_found for a missing definition or one outside the caller's reach. */
export const getDefinition = operation({
  permission: "custom_fields:read",
  input: idInput,
  output: definition,
  version: (found) => found,
  async run(ctx, { id }) {
    const [row] = await tenant(ctx.scope, (tx) =>
      tx
        .select()
        .from(customFieldDefinitions)
        .where(and(visible(ctx.scope), eq(customFieldDefinitions.id, id))),
    );
    if (!row) throw notFound("custom field");
    return shownDefinition(ctx, row);
  },
});

/** Owner of a new field: the named or only organization, else the partner. */
async function ownerOf(tx: Tx, ctx: Ctx, input: CreateInput): Promise<Owner> {
  const { scope } = ctx;
  if (input.owner === "all_organizations" && input.orgId)
    throw invalid("orgId", "a field of All organizations belongs to none");
  if (scope.kind === "organization") {
    if (input.owner === "all_organizations")
      throw new AppError("forbidden", "Only the partner can create a field of All organizations.");
    const [org] = await tx.select().from(organizations).where(eq(organizations.id, scope.orgIds[0]));
    if (!org) throw notFound("organization");
    return { partnerId: org.partnerId, orgId: org.id };
  }
  const partnerId = ownPartner(scope);
  if (input.owner === "organization" || partnerId === null) throw invalid("orgId", "name the organization");
  await requireWholePartner(tx, ctx, "You reach only some organizations: name the one whose field it is to be.");
  return { partnerId, orgId: null };
}

async function refuseTooMany(tx: Tx, owner: Owner): Promise<void> {
  const d = customFieldDefinitions;
  await countInTurn(tx, `custom fields of ${owner.orgId ?? owner.partnerId}`);
  const [row] = await tx.select({ total: count() }).from(d).where(ofOwner(d, owner));
  if ((row?.total ?? 0) >= MAX_DEFINITIONS_PER_OWNER)
    throw new AppError("conflict", `There are ${MAX_DEFINITIONS_PER_OWNER} custom fields already.`);
}

/**
 * Creates a custom field.
 * @throws AppError conflict when the owner has the key already; forbidden for All organizations unless the caller
 * reaches them all.
 */
export const createDefinition = operation({
  permission: "custom_fields:manage",
  input: createInput,
  output: definition,
  async run(ctx, input) {
    const fitted = fitToType({ ...input, options: input.options ?? null, defaultValue: input.defaultValue ?? null });
    const row = await tenant(ctx.scope, async (tx) => {
      const owner = await ownerOf(tx, ctx, input);
      await refuseTooMany(tx, owner);
      const { name, fieldKey, type, required, secret } = input;
      const deviceTypes = input.deviceTypes?.length ? input.deviceTypes : null;
      const values = { id: newId(), ...owner, name, fieldKey, type, required, secret, deviceTypes, ...fitted };
      const [created] = await tx.insert(customFieldDefinitions).values(values).returning();
      return requireRow(created);
    }).catch((error: unknown) => {
      throw isDuplicate(error)
        ? new AppError("conflict", `There is a field with the key ${input.fieldKey} already.`)
        : error;
    });
    const created = toDefinition(row);
    record(ctx, {
      action: "custom_field.create",
      orgId: created.orgId ?? ctx.homeOrgId,
      ...resourceOf("custom_field", created),
      details: { after: auditable(created) },
    });
    return created;
  },
});

/** Number of devices in the caller's reach with a value of the field. */
export const countUsage = operation({
  permission: "custom_fields:manage",
  input: idInput,
  output: usage,
  async run(ctx, input) {
    const found = await getDefinition.run(ctx, input);
    const [row] = await tenant(ctx.scope, (tx) =>
      rowsOf<{ n: number }>(tx, sql`SELECT count(*)::int AS n FROM ${holders(found)}`),
    );
    return { id: found.id, values: row?.n ?? 0 };
  },
});

async function dropValues(tx: Tx, row: DefinitionRow): Promise<number> {
  const [done] = await rowsOf<{ n: number }>(
    tx,
    sql`
    WITH gone AS (
      UPDATE custom_field_values SET "values" = "values" - ${row.id}::text, updated_at = now()
      WHERE device_id IN (SELECT v.device_id FROM ${holders(row)}) RETURNING 1
    ) SELECT count(*)::int AS n FROM gone`,
  );
  return done?.n ?? 0;
}

/**
 * Deletes a definition and all its values; for a field of All organizations in all of them, so the caller must reach
 * them all.
 * @throws AppError not_found, forbidden.
 */
export const removeDefinition = operation({
  permission: "custom_fields:manage",
  input: idInput,
  output: "empty",
  stepUp: () => true,
  version: () => null,
  async run(ctx, { id }) {
    const found = await tenant(ctx.scope, (tx) => manageable(tx, ctx, id));
    const { gone, values } = await asSystem(async (tx) => {
      await lockDefinitions(tx, found);
      // Of concurrent deletions only one is recorded.
      const rows = await tx.delete(customFieldDefinitions).where(eq(customFieldDefinitions.id, found.id)).returning();
      const gone = requireRow(rows[0]);
      return { gone, values: await dropValues(tx, gone) };
    });
    record(ctx, {
      action: "custom_field.delete",
      orgId: gone.orgId ?? ctx.homeOrgId,
      ...resourceOf("custom_field", gone),
      details: { before: auditable(toDefinition(gone)), values },
    });
  },
});
