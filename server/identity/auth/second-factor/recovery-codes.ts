import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { userRecoveryCodes } from "@/db/schema";
import { hashCode } from "./sealed";

const CODES = 10;
/** Without letters that are taken for others. */
const LETTERS = "abcdefghjkmnpqrstuvwxyz23456789";
const LENGTH = 16;
const GROUP = 4;

/** 31 letters fit 8 times into a byte's values; the few beyond are drawn again. */
function newCode(): string {
  let code = "";
  while (code.length < LENGTH)
    for (const byte of randomBytes(LENGTH))
      if (byte < 8 * LETTERS.length && code.length < LENGTH) code += LETTERS[byte % LETTERS.length];
  return code.replace(new RegExp(`.{${GROUP}}(?=.)`, "g"), "$&-");
}

/** A recovery code as it may be typed: in any case, with or without hyphens and spaces. */
export const plainCode = (typed: string): string => typed.toLowerCase().replace(/[\s-]/g, "");

/** Fresh recovery codes, shown this once; earlier ones are worthless from now on. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, now: Date): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
  await tx
    .insert(userRecoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashCode(plainCode(code), userId), createdAt: now })));
  return codes;
}
