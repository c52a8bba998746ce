import { and, asc, ilike, inArray, notInArray, or, type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { users } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { inReach } from "@/server/ground/scope";
import { containsPattern } from "@/server/ground/text";
import { listInput, userPage } from "./schema";
import { toUser, userColumns } from "./to-user";
import { withTwoFactor } from "./two-factor";

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
    const administered = inReach(users, ctx.scope);
    const secured = await withTwoFactor(administered);
    const pattern = input.search && containsPattern(input.search);
    const where = and(
      administered,
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
