import { and, inArray, or, type SQL, sql } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userPasskeys, users, userTotp } from "@/db/schema";

/**
 * Which of these people have a second factor set up. Row level security shows factors to the platform alone,
 * so that the condition has to be the caller's own reach.
 */
export async function withTwoFactor(reached: SQL | undefined): Promise<Set<string>> {
  const totp = sql`EXISTS (SELECT FROM ${userTotp} f WHERE f.user_id = ${users.id} AND f.confirmed_at IS NOT NULL)`;
  const passkey = sql`EXISTS (SELECT FROM ${userPasskeys} f WHERE f.user_id = ${users.id})`;
  const rows = await asSystem((tx) =>
    tx
      .select({ id: users.id })
      .from(users)
      .where(and(reached, or(totp, passkey))),
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether one person has. */
export const hasTwoFactor = async (id: string): Promise<boolean> =>
  (await withTwoFactor(inArray(users.id, [id]))).has(id);
