import { z } from "zod";
import { asSystem } from "@/db/client";
import { users } from "@/db/schema";
import { AppError } from "@/server/ground/errors";
import { newId } from "@/server/ground/ids";
import { repairText } from "@/server/ground/text";
import { displayName } from "@/server/ground/wire";
import { hashPassword } from "@/server/identity/auth/password";
import { email, newPassword } from "@/server/identity/auth/schema";

const input = z.strictObject({ email, password: newPassword, name: displayName });

/**
 * Creates a system_admin, the platform's operator over every partner. For the command line alone: no door leads here.
 * @throws ZodError for a bad e-mail or a short password; AppError conflict when the e-mail is taken.
 */
export async function createSystemAdmin(given: z.input<typeof input>): Promise<{ id: string; email: string }> {
  const { email: address, password, name } = input.parse(given);
  const passwordHash = await hashPassword(password);
  const row = { id: newId(), email: address, name: repairText(name), role: "system_admin" as const, passwordHash };
  const created = await asSystem((tx) =>
    tx.insert(users).values(row).onConflictDoNothing().returning({ id: users.id }),
  );
  if (created.length === 0) throw new AppError("conflict", "That e-mail is already in use.");
  return { id: row.id, email: address };
}
