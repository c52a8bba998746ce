import { createHmac } from "node:crypto";
import { derivedKey, seal as sealText, unseal as unsealText } from "@/server/ground/derived-key";
import { log } from "@/server/ground/log";

const PURPOSE = "two-factor";

/** Seals a person's secret, bound to that person. */
export const seal = (text: string, userId: string): string => sealText(text, { purpose: PURPOSE, owner: userId });

let hasWarned = false;

/**
 * Unseals a person's secret; null if altered, another person's, or sealed under another NEXTAUTH_SECRET, so that no
 * code matches. Logs once what to do.
 */
export function unseal(stored: string, userId: string): string | null {
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
export const hashCode = (code: string, userId: string): string =>
  createHmac("sha256", derivedKey("recovery-codes")).update(`${userId} ${code}`).digest("hex");
