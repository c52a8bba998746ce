import { and, eq } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { users } from "@/db/schema";
import { hashChosen } from "./password";
import { endSessions, lockSignIns } from "./sessions";
import { dropUserTokens } from "./user-tokens";

/** path: the input's member with the password. */
type Change = {
  user: { id: string; email: string; name: string };
  password: string;
  path?: string;
  now: Date;
  exceptSession?: string | undefined;
};

/**
 * former: hash of the password to replace; without one, any is replaced. spend: redeems the link or token in the same
 * transaction; false if it is gone.
 */
type By = { former?: string; spend?: (tx: Tx) => Promise<boolean> };

async function change({ user, password, path, now, exceptSession }: Change, { former, spend }: By = {}) {
  const userId = user.id;
  const passwordHash = await hashChosen(password, user, path);
  const isFormer = former === undefined ? undefined : eq(users.passwordHash, former);
  const theirs = and(eq(users.id, userId), isFormer);
  return asSystem(async (tx): Promise<number | null> => {
    await lockSignIns(tx, userId);
    if (spend && !(await spend(tx))) return null;
    const changed = await tx
      .update(users)
      .set({ passwordHash, updatedAt: now })
      .where(theirs)
      .returning({ id: users.id });
    if (changed.length === 0) return null;
    await dropUserTokens(tx, userId);
    return endSessions(tx, { userId, except: exceptSession, now });
  });
}

/**
 * Sets a person's password, and ends their sign-ins except one, and every link and challenge.
 * @returns the number of sign-ins ended
 */
export const setPassword = async (given: Change): Promise<number> => (await change(given)) ?? 0;

/**
 * Replaces the password with the proven hash (former).
 * @returns null, without a change, if another request has replaced it first
 */
export const replacePassword = (former: string, given: Change): Promise<number | null> => change(given, { former });

/**
 * Sets a password by a link, redeemed in the same transaction.
 * @returns null if it is already redeemed: nothing is changed
 */
export const setPasswordBy = (spend: (tx: Tx) => Promise<boolean>, given: Change): Promise<number | null> =>
  change(given, { spend });
