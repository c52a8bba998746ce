import { createHmac } from "node:crypto";
import { derivedKey, seal as sealText, unseal as unsealText } from "@/server/derived-key";

const PURPOSE = "two-factor";

/** A person's secret as it is stored, bound to its person. */
export const seal = (text: string, userId: string): string => sealText(text, { purpose: PURPOSE, owner: userId });

/** @throws Error for text that was altered, is another person's, or was sealed under another NEXTAUTH_SECRET */
export const unseal = (stored: string, userId: string): string =>
  unsealText(stored, { purpose: PURPOSE, owner: userId });

/** How a recovery code is stored: a person types it, so without its person and our key it says nothing. */
export const hashCode = (code: string, userId: string): string =>
  createHmac("sha256", derivedKey("recovery-codes")).update(`${userId} ${code}`).digest("hex");
