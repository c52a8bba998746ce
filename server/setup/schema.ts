import { z } from "zod";
import { displayName } from "@/server/ground/wire";
import { email, newPassword } from "@/server/identity/auth/schema";

/** Input of the first-run page; token is from the console. */
export const completeInput = z.strictObject({
  token: z.string().min(1).max(200),
  organizationName: displayName,
  name: displayName,
  email,
  password: newPassword,
});
export type CompleteInput = z.output<typeof completeInput>;

export const setupStatus = z.strictObject({ needed: z.boolean() });
