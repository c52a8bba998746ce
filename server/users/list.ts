import { and, asc, eq, ilike, inArray, isNull, notInArray, or, type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { users } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { operation } from "@/server/operation";
import { inScope } from "@/server/scope";
import { containsPattern } from "@/server/text";
import { listInput, userPage } from "./schema";
import { toUser, userColumns } from "./to-user";
import { withTwoFactor } from "./two-factor";

/** The people whom a caller administers: those of its organizations and, for a partner, the partner's own staff. */
export function usersInScope({ scope }: Ctx): SQL | undefined {
  const ofOrganizations = inScope(users.orgId, scope);
  if (scope.kind !== "partner") return ofOrganizations;
  return or(ofOrganizations, and(isNull(users.orgId), eq(users.partnerId, scope.partnerId)));
}

function hasChosen(twoFactor: boolean | undefined, secured: string[]): SQL | undefined {
  if (twoFactor === undefined) return undefined;
  if (secured.length === 0) return twoFactor ? sql`false` : undefined;
  return twoFactor ? inArray(users.id, secured) : notInArray(users.id, secured);
}

/** The people whom the caller administers, by name; search is part of name or e-mail, in any case. */
export const listUsers = operation({
  permission: "users:manage",
  input: listInput,
  output: userPage,
  async run(ctx, input) {
    const secured = await withTwoFactor(usersInScope(ctx));
    const pattern = input.search && containsPattern(input.search);
    const where = and(
      usersInScope(ctx),
      hasChosen(input.twoFactor, [...secured]),
      pattern ? or(ilike(users.name, pattern), ilike(users.email, pattern)) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const query = tx
        .select(userColumns)
        .from(users)
        .orderBy(asc(sql`lower(${users.name})`), asc(users.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: users, query, where });
      return {
        data: rows.map((row) => toUser(row, secured.has(row.id))),
        pagination,
      };
    });
  },
});
