import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { inTurn } from "./limits/in-turn";
import { limit, requireAttemptsLeft } from "./limits/rate-limit";
import { verifyPassword } from "./password";

/**
 * The stored hash that the password of a person who is signed in was proven by; null for a wrong one. Failures are
 * counted against the person.
 * @throws AppError rate_limited after too many failures.
 */
export const provenPassword = (userId: string, password: string): Promise<string | null> =>
  inTurn(`password ${userId}`, () => hashOf(userId, password));

async function hashOf(userId: string, password: string): Promise<string | null> {
  await requireAttemptsLeft("password.failed", userId);
  const [row] = await asSystem((tx) =>
    tx.select({ passwordHash: users.passwordHash }).from(users).where(eq(users.id, userId)),
  );
  if (row && (await verifyPassword(row.passwordHash, password, userId))) return row.passwordHash;
  await limit("password.failed", userId);
  return null;
}
