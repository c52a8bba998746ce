import { randomBytes } from "node:crypto";
import { eq } from "drizzle-orm";
import type { Tx } from "@/db/client";
import { userRecoveryCodes } from "@/db/schema";
import { hashCode } from "./sealed";

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
export const plainCode = (typed: string): string => typed.toLowerCase().replace(/[\s-]/g, "");

/** New recovery codes, shown only once; earlier ones become invalid. */
export async function replaceRecoveryCodes(tx: Tx, userId: string, now: Date): Promise<string[]> {
  const codes = Array.from({ length: CODES }, newCode);
  await tx.delete(userRecoveryCodes).where(eq(userRecoveryCodes.userId, userId));
  await tx
    .insert(userRecoveryCodes)
    .values(codes.map((code) => ({ userId, codeHash: hashCode(plainCode(code), userId), createdAt: now })));
  return codes;
}
