import { and, asc, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldDefinitions } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { notFound } from "@/server/errors";
import type { IdInput } from "@/server/wire";
import { toDefinition, visible } from "./definition";
import type { Definition, DefinitionList, ListInput } from "./schema";

/** The definitions within the caller's reach by name: organizations' own and those of All organizations. */
export async function listDefinitions(ctx: Ctx, _input: ListInput): Promise<DefinitionList> {
  const rows = await tenant(ctx.scope, (tx) =>
    tx
      .select()
      .from(customFieldDefinitions)
      .where(visible(ctx.scope))
      .orderBy(asc(customFieldDefinitions.name), asc(customFieldDefinitions.id)),
  );
  return { data: rows.map(toDefinition) };
}

/** @throws AppError not_found, the same for a missing definition and one outside the caller's reach. */
export async function getDefinition(ctx: Ctx, { id }: IdInput): Promise<Definition> {
  const [row] = await tenant(ctx.scope, (tx) =>
    tx
      .select()
      .from(customFieldDefinitions)
      .where(and(visible(ctx.scope), eq(customFieldDefinitions.id, id))),
  );
  if (!row) throw notFound("custom field");
  return toDefinition(row);
}
