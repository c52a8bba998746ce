import { eq } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { inTurn } from "@/server/ground/limits/concurrency";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { verifyPassword } from "./password";

const storedHash = async (userId: string): Promise<string | null> => {
  const theirs = eq(users.id, userId);
  const [row] = await asSystem((tx) => tx.select({ hash: users.passwordHash }).from(users).where(theirs));
  return row?.hash ?? null;
};

/** False for people who only sign in by an identity provider. */
export const hasPassword = async (userId: string): Promise<boolean> => (await storedHash(userId)) !== null;

/** Refuses people without a password before it is checked. @throws AppError conflict */
export async function requirePassword(userId: string): Promise<void> {
  if (await hasPassword(userId)) return;
  throw new AppError(
    "conflict",
    "You have no password here: sign in through your identity provider, or ask an administrator for a link.",
  );
}

/**
 * Stored hash that matched a signed-in person's password; null for a wrong one. Failures are counted against the
 * person.
 * @throws AppError rate_limited after too many failures.
 */
export const provenPassword = (userId: string, password: string): Promise<string | null> =>
  inTurn(`password ${userId}`, () => provenHash(userId, password));

async function provenHash(userId: string, password: string): Promise<string | null> {
  await requireAttemptsLeft("password.failed", userId);
  const hash = await storedHash(userId);
  if (await verifyPassword(hash, password, userId)) return hash;
  await limit("password.failed", userId);
  return null;
}
