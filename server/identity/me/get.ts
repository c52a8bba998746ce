import { asc, eq, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations, users } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { operation } from "@/server/ground/operation";
import { inScope, ownPartner } from "@/server/ground/scope";
import { noInput } from "@/server/ground/wire";
import { reachesWholePartner } from "@/server/identity/auth/grant";
import { me } from "./schema";

/** GET /me: the caller, its organizations and its permissions. */
export const getMe = operation({
  account: true,
  input: noInput,
  output: me,
  async run(ctx) {
    const { actor, scope } = ctx;
    if (actor.type !== "user" && actor.type !== "api_key") throw new AppError("unauthenticated");
    const [own, allOrganizations, reached] = await tenant(scope, (tx) =>
      Promise.all([
        tx.select({ department: users.department }).from(users).where(eq(users.id, actor.id)),
        reachesWholePartner(tx, ctx),
        tx
          .select({
            id: organizations.id,
            name: organizations.name,
            slug: organizations.slug,
            isHome: organizations.isHome,
          })
          .from(organizations)
          .where(inScope(organizations.id, scope))
          .orderBy(asc(sql`lower(${organizations.name})`), asc(organizations.id)),
      ]),
    );
    const person = actor.type === "user" ? { email: actor.email, role: actor.role } : { email: "", role: "" };
    return {
      user: { type: actor.type, id: actor.id, name: actor.name, ...person, department: own[0]?.department ?? "" },
      scope: scope.kind,
      partnerId: ownPartner(scope),
      homeOrgId: ctx.homeOrgId,
      allOrganizations,
      organizations: reached,
      mustSetUpTwoFactor: ctx.mustEnroll === true,
      permissions: [...ctx.permissions].sort(),
    };
  },
});
