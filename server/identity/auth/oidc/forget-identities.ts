import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userIdentities } from "@/db/schema";

/**
 * Unlinks a person's identities; the next sign-in at the provider with the verified address links again.
 * @returns the number of identities removed
 */
export async function forgetIdentities(userId: string): Promise<number> {
  const theirs = eq(userIdentities.userId, userId);
  const rows = await asSystem((tx) =>
    tx.delete(userIdentities).where(theirs).returning({ userId: userIdentities.userId }),
  );
  return rows.length;
}
