import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userIdentities } from "@/db/schema";

/**
 * An administrator starts a person's sign-in again: the next one at the provider with the verified address is them.
 * @returns how many identities were forgotten
 */
export async function forgetIdentities(userId: string): Promise<number> {
  const theirs = eq(userIdentities.userId, userId);
  const rows = await asSystem((tx) =>
    tx.delete(userIdentities).where(theirs).returning({ userId: userIdentities.userId }),
  );
  return rows.length;
}
