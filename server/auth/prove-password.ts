import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { inTurn } from "./limits/in-turn";
import { limit, requireAttemptsLeft } from "./limits/rate-limit";
import { verifyPassword } from "./password";

/**
 * Whether this is the password of a person who is signed in. Failures are counted against the person.
 * @throws AppError rate_limited after too many failures.
 */
export const provesPassword = (userId: string, password: string): Promise<boolean> =>
  inTurn(`password ${userId}`, () => isPasswordOf(userId, password));

async function isPasswordOf(userId: string, password: string): Promise<boolean> {
  await requireAttemptsLeft("password.failed", userId);
  const [row] = await asSystem((tx) =>
    tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)),
  );
  if (await verifyPassword(row?.passwordHash, password, userId)) return true;
  await limit("password.failed", userId);
  return false;
}
