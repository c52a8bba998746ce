import { count, eq } from "drizzle-orm";
import { type Tx, tenant } from "@/db/client";
import { isDuplicate } from "@/db/duplicate";
import { customFieldDefinitions, organizations } from "@/db/schema";
import { record } from "@/server/audit/record/record";
import { resourceOf } from "@/server/audit/resource-of";
import type { Ctx } from "@/server/ground/context";
import { AppError, invalid, notFound } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { countInTurn } from "@/server/ground/limits/room";
import { operation } from "@/server/ground/operation";
import { type Owner, ofOwner, ownPartner } from "@/server/ground/scope";
import { requireWholePartner } from "@/server/identity/auth/grant";
import { auditable, fitToType, requireRow, toDefinition } from "./definition";
import { type CreateInput, createInput, definition, MAX_DEFINITIONS_PER_OWNER } from "./schema";

/** Whose the new field is: an organization's where one is named or the caller has but one, else the partner's. */
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
 * @throws AppError conflict when the owner has the key already; forbidden for All organizations by who does not
 * reach them all.
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
