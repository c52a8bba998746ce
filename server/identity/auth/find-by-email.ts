import { and, eq, type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { inTime } from "@/db/lookup";
import { organizations, users } from "@/db/schema";

/** A person's data for signing in; undefined when there is none. */
async function findPerson(where: SQL) {
  const found = asSystem((tx) =>
    tx
      .select({
        id: users.id,
        email: users.email,
        name: users.name,
        role: users.role,
        passwordHash: users.passwordHash,
        disabledAt: users.disabledAt,
        orgId: users.orgId,
        homeOrgId: organizations.id,
      })
      .from(users)
      .leftJoin(organizations, and(eq(organizations.partnerId, users.partnerId), eq(organizations.isHome, true)))
      .where(where),
  );
  return (await inTime(found))[0];
}

export type KnownPerson = NonNullable<Awaited<ReturnType<typeof findPerson>>>;

/** Person with an e-mail address (in lowercase). */
export const findByEmail = (email: string): Promise<KnownPerson | undefined> =>
  findPerson(eq(sql`lower(${users.email})`, email));

/** Person with an id, disabled or not. */
export const findById = (id: string): Promise<KnownPerson | undefined> => findPerson(eq(users.id, id));
