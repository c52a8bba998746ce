import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { dropUserTokens } from "./links/user-tokens";
import { hashPassword } from "./password";
import { endSessions } from "./sessions";

type Change = { userId: string; password: string; now: Date; exceptSession?: string | undefined };

/** Gives a person a password, ends their sign-ins, but for one, and every link and challenge. @returns how many sign-ins were ended. */
export async function setPassword({ userId, password, now, exceptSession }: Change): Promise<number> {
  const passwordHash = await hashPassword(password);
  return asSystem(async (tx) => {
    await tx.update(users).set({ passwordHash, updatedAt: now }).where(eq(users.id, userId));
    await dropUserTokens(tx, userId);
    return endSessions(tx, { userId, except: exceptSession, now });
  });
}
