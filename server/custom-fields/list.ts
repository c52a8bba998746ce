import { and, asc, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { customFieldDefinitions } from "@/db/schema";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { idInput } from "@/server/ground/wire";
import { shownDefinition, visible } from "./definition";
import { definition, definitionList, listInput } from "./schema";

/** The definitions within the caller's reach by name: organizations' own and those of All organizations. */
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

/** @throws AppError not_found, the same for a missing definition and one outside the caller's reach. */
export const getDefinition = operation({
  permission: "custom_fields:read",
  input: idInput,
  output: definition,
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
