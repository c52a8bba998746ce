import { createHmac } from "node:crypto";
import { derivedKey, seal as sealText, unseal as unsealText } from "@/server/ground/derived-key";
import { log } from "@/server/ground/log";

const PURPOSE = "two-factor";

/** A person's secret as it is stored, bound to its person. */
export const seal = (text: string, userId: string): string => sealText(text, { purpose: PURPOSE, owner: userId });

let hasWarned = false;

/**
 * A person's secret as it was given; null for one that was altered, is another person's, or was sealed under another
 * NEXTAUTH_SECRET: no code is right by it any more. Of that the log says once what to do.
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

/** How a recovery code is stored: a person types it, so without its person and our key it says nothing. */
export const hashCode = (code: string, userId: string): string =>
  createHmac("sha256", derivedKey("recovery-codes")).update(`${userId} ${code}`).digest("hex");
