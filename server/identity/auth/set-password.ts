import { and, eq } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { users } from "@/db/schema";
import { hashChosen } from "./password";
import { endSessions, lockSignIns } from "./sessions";
import { dropUserTokens } from "./user-tokens";

/**
 * path: the input's member with the password. former: hash of the password to replace; without one, any is replaced.
 * spend: redeems the link or token in the same transaction; false if it is gone.
 */
type Change = {
  user: { id: string; email: string; name: string };
  password: string;
  path?: string;
  now: Date;
  exceptSession?: string | undefined;
  former?: string;
  spend?: (tx: Tx) => Promise<boolean>;
};

/**
 * Sets a person's password, and ends their sign-ins except one, and every link and challenge.
 * @returns the number of sign-ins ended; null, without a change, if the former password or the link is gone
 */
export async function setPassword(change: Change): Promise<number | null> {
  const { user, password, path, now, exceptSession, former, spend } = change;
  const userId = user.id;
  const passwordHash = await hashChosen(password, user, path);
  const isFormer = former === undefined ? undefined : eq(users.passwordHash, former);
  const theirs = and(eq(users.id, userId), isFormer);
  return asSystem(async (tx) => {
    await lockSignIns(tx, userId);
    if (spend && !(await spend(tx))) return null;
    const set = { passwordHash, updatedAt: now };
    const changed = await tx.update(users).set(set).where(theirs).returning({ id: users.id });
    if (changed.length === 0) return null;
    await dropUserTokens(tx, userId);
    return endSessions(tx, { userId, except: exceptSession, now });
  });
}
