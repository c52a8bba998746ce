import { and, asc, count, eq, ilike, isNull, or, type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { users } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { paginate } from "@/server/devices/list";
import { operation } from "@/server/operation";
import { inScope } from "@/server/scope";
import { containsPattern } from "@/server/text";
import { listInput, userPage } from "./schema";
import { toUser, userColumns } from "./to-user";

/** The people whom a caller administers: those of its organizations and, for a partner, the partner's own staff. */
export function usersInScope({ scope }: Ctx): SQL | undefined {
  const ofOrganizations = inScope(users.orgId, scope);
  if (scope.kind !== "partner") return ofOrganizations;
  return or(ofOrganizations, and(isNull(users.orgId), eq(users.partnerId, scope.partnerId)));
}

/** The people whom the caller administers, by name; search is part of name or e-mail, in any case. */
export const listUsers = operation({
  permission: "users:manage",
  input: listInput,
  output: userPage,
  run(ctx, input) {
    const pattern = input.search && containsPattern(input.search);
    const where = and(
      usersInScope(ctx),
      pattern ? or(ilike(users.name, pattern), ilike(users.email, pattern)) : undefined,
    );
    return tenant(ctx.scope, async (tx) => {
      const [rows, [counted]] = await Promise.all([
        tx
          .select(userColumns)
          .from(users)
          .where(where)
          .orderBy(asc(sql`lower(${users.name})`), asc(users.id))
          .limit(input.limit)
          .offset((input.page - 1) * input.limit),
        tx.select({ total: count() }).from(users).where(where),
      ]);
      return { data: rows.map(toUser), pagination: paginate(input, counted?.total ?? 0) };
    });
  },
});
