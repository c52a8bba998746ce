import { createHmac, randomBytes } from "node:crypto";
import { and, eq, isNotNull, isNull, lt } from "drizzle-orm";
import { Secret, TOTP } from "otpauth";
import { asSystem, type Tx } from "@/db/client";
import { userRecoveryCodes, userTotp } from "@/db/schema";
import { derivedKey, seal as sealText, unseal as unsealText } from "@/server/ground/derived-key";
import { inTurn } from "@/server/ground/limits/concurrency";
import { limit, requireAttemptsLeft } from "@/server/ground/limits/windows";
import { log } from "@/server/ground/log";
import type { Method } from "@/server/identity/auth/sessions";
import { provesPasskey } from "./passkeys";

/** RFC 6238 as supported by every authenticator app: SHA-1, six digits, steps of 30 s. */
const PERIOD_SECONDS = 30;
const SECRET_BYTES = 20;
/** Tolerates clock skew of one step either way. */
const WINDOW = 1;

const totpOf = (secret: string, label = "") =>
  new TOTP({ issuer: "Trailmark", label, secret: Secret.fromBase32(secret), period: PERIOD_SECONDS, digits: 6 });

/** A fresh secret, in base32. */
export const newTotpSecret = (): string => new Secret({ size: SECRET_BYTES }).base32;

/** Address of the QR code for an authenticator app. */
export const totpUri = (secret: string, email: string): string => totpOf(secret, email).toString();

/** Time step of a code at a given time; null for a wrong code. */
export function stepOf(secret: string, code: string, now: Date): number | null {
  // The library compares bytes and would throw for six characters of more bytes.
  if (!/^[0-9]{6}$/.test(code)) return null;
  const timestamp = now.getTime();
  const delta = totpOf(secret).validate({ token: code, window: WINDOW, timestamp });
  return delta === null ? null : Math.floor(timestamp / 1000 / PERIOD_SECONDS) + delta;
}

const PURPOSE = "two-factor";

/** Seals a person's secret, bound to that person. */
export const seal = (text: string, userId: string): string => sealText(text, { purpose: PURPOSE, owner: userId });

let hasWarned = false;

/**
 * Unseals a person's secret; null if altered, another person's, or sealed under another NEXTAUTH_SECRET, so that no
 * code matches. Logs once what to do.
 */
function unseal(stored: string, userId: string): string | null {
  try {
    return unsealText(stored, { purpose: PURPOSE, owner: userId });
  } catch (error) {
    if (!hasWarned)
      log.error(
        { err: error, userId },
        "a second factor cannot be read: was NEXTAUTH_SECRET replaced? Its person has to set it up again",
      );
    hasWarned = true;
    return null;
  }
}

/** Stored form of a recovery code: keyed by person and our secret, because typed codes are short. */
const hashCode = (code: string, userId: string): string =>
  createHmac("sha256", derivedKey("recovery-codes")).update(`${userId} ${code}`).digest("hex");

/** Time step of a code of a person's app at a given time; null for a wrong code. */
export function stepOfApp({ userId, secret: sealed }: typeof userTotp.$inferSelect, code: string, now: Date) {
  const secret = unseal(sealed, userId);
  return secret === null ? null : stepOf(secret, code, now);
}

const CODES = 10;
/** Without ambiguous letters. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const LENGTH = 16;
const GROUP = 4;

/** A byte holds 8 × 31 letters; values beyond are drawn again to avoid bias. */
function newCode(): string {
  let code = "";
  while (code.length < LENGTH)
    for (const byte of randomBytes(LENGTH))
      if (byte < 8 * LETTERS.length && code.length < LENGTH) code += LETTERS[byte % LETTERS.length];
  return code.replace(new RegExp(`.{${GROUP}}(?=.)`, "g"), "$&-");
}

/** Normalizes a typed recovery code: any case, with or without hyphens and spaces. */
const plainCode = (typed: string): string => typed.toLowerCase().replace(/[\s-]/g, "");

/** New recovery codes, shown only once; earlier ones become invalid. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, now: Date): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
  await tx
    .insert(userRecoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashCode(plainCode(code), userId), createdAt: now })));
  return codes;
}

/** A person's proof: an app code or recovery code, or the browser's answer to the passkey challenge. */
export type Proof = { code?: string | undefined; passkey?: unknown };
type Attempt = Proof & { challenge: string | null; now: Date };

/** Redeems a code of the authenticator app; each time step counts once, even for concurrent uses. */
async function spendTotp(userId: string, code: string, now: Date): Promise<boolean> {
  return asSystem(async (tx) => {
    const mine = and(eq(userTotp.userId, userId), isNotNull(userTotp.confirmedAt));
    const [row] = await tx.select().from(userTotp).where(mine);
    const step = row ? stepOfApp(row, code, now) : null;
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
