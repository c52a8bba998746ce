import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userIdentities } from "@/db/schema";

/** An administrator starts a person's sign-in again: the next one at the provider with the verified address is them. */
export async function forgetIdentities(userId: string): Promise<void> {
  await asSystem((tx) => tx.delete(userIdentities).where(eq(userIdentities.userId, userId)));
}
