import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { userRecoveryCodes, userTotp } from "@/db/schema";
import { inTurn } from "@/server/ground/limits/concurrency";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import type { Method } from "@/server/identity/auth/start-session";
import { provesPasskey } from "./passkeys";
import { plainCode } from "./recovery-codes";
import { hashCode, unseal } from "./sealed";
import { stepOf } from "./totp";

/** A person's proof: an app code or recovery code, or the browser's answer to the passkey challenge. */
export type Proof = { code?: string | undefined; passkey?: unknown };
type Attempt = Proof & { challenge: string | null; now: Date };

/** Redeems a code of the authenticator app; each time step counts once, even for concurrent uses. */
async function spendTotp(userId: string, code: string, now: Date): Promise<boolean> {
  return asSystem(async (tx) => {
    const mine = and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt));
    const [row] = await tx.select().from(userTotp).where(mine);
    const secret = row ? unseal(row.secret, userId) : null;
    const step = secret ? stepOf(secret, code, now) : null;
    if (step === null) return false;
    const unused = and(mine, lt(userTotp.lastStep, step));
    return (await tx.update(userTotp).set({ lastStep: step }).where(unused).returning()).length > 0;
  });
}

async function spendRecoveryCode(userId: string, code: string, now: Date): Promise<boolean> {
  const mine = and(eq(userRecoveryCodes.userId, userId), eq(userRecoveryCodes.codeHash, hashCode(code, userId)));
  const unused = and(mine, isNull(userRecoveryCodes.usedAt));
  const spent = await asSystem((tx) =>
    tx.update(userRecoveryCodes).set({ usedAt: now }).where(unused).returning({ at: userRecoveryCodes.usedAt }),
  );
  return spent.length > 0;
}

async function methodOf(userId: string, { code, passkey, challenge, now }: Attempt): Promise<Method | null> {
  if (passkey !== undefined)
    return challenge && (await provesPasskey(userId, { response: passkey, challenge, now })) ? "passkey" : null;
  const plain = plainCode(code ?? "");
  if (/^\d{6}$/.test(plain)) return (await spendTotp(userId, plain, now)) ? "totp" : null;
  return (await spendRecoveryCode(userId, plain, now)) ? "recovery_code" : null;
}

/**
 * Method by which a second factor was proven; null for a wrong one. Failures are counted against the person.
 * @param challenge the WebAuthn challenge issued for the passkey
 * @throws AppError rate_limited after too many failures.
 */
export const provesSecondFactor = (userId: string, attempt: Attempt): Promise<Method | null> =>
  inTurn(`second factor ${userId}`, async () => {
    await requireAttemptsLeft("second_factor.failed", userId);
    const method = await methodOf(userId, attempt);
    if (!method) await limit("second_factor.failed", userId);
    return method;
  });
