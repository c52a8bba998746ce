import { and, asc, eq, ilike, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { organizations } from "@/db/schema";
import { notFound } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { containsPattern } from "@/server/ground/text";
import { onlyIdInput } from "@/server/ground/wire";
import { listInput, organization, organizationPage } from "./schema";
import { toOrganization } from "./to-organization";

/** The organizations within the caller's reach, by name; search is part of the name, in any case. */
export const listOrganizations = operation({
  input: listInput,
  output: organizationPage,
  run(ctx, input) {
    const where = and(
      inScope(organizations.id, ctx.scope),
      input.search ? ilike(organizations.name, containsPattern(input.search)) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select()
        .from(organizations)
        .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: organizations, query, where });
      return { data: rows.map(toOrganization), pagination };
    });
  },
});

/**
 * One organization within the caller's reach.
 * @throws AppError not_found
 */
export const getOrganization = operation({
  input: onlyIdInput,
  output: organization,
  async run(ctx, { id }) {
    const where = and(inScope(organizations.id, ctx.scope), eq(organizations.id, id));
    const [row] = await tenant(ctx.scope, (tx) => tx.select().from(organizations).where(where));
    if (!row) throw notFound("organization");
    return toOrganization(row);
  },
});
