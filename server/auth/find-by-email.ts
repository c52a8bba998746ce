import { and, eq, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { inTime } from "@/db/lookup";
import { organizations, users } from "@/db/schema";

/** What sign-in needs to know of the person with an e-mail address (in lower case); undefined when there is none. */
export async function findByEmail(email: string) {
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
      .where(eq(sql`lower(${users.email})`, email)),
  );
  return (await inTime(found))[0];
}

export type KnownByEmail = NonNullable<Awaited<ReturnType<typeof findByEmail>>>;
