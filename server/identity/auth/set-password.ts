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
 * former: the hash of the password that it has to replace; without one, any password is replaced. spend: uses up what the
 * change is made by, in its transaction; false where that is gone.
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
 * Gives a person a password, ends their sign-ins, but for one, and every link and challenge.
 * @returns how many sign-ins were ended
 */
export const setPassword = async (given: Change): Promise<number> => (await change(given)) ?? 0;

/**
 * The same in place of the password that was proven by its hash (former).
 * @returns null where that has been replaced by another meanwhile: then nothing is changed
 */
export const replacePassword = (former: string, given: Change): Promise<number | null> => change(given, { former });

/**
 * The same by a link, which is spent with the change or not at all.
 * @returns null where it is spent already: then nothing is changed
 */
export const setPasswordBy = (spend: (tx: Tx) => Promise<boolean>, given: Change): Promise<number | null> =>
  change(given, { spend });
