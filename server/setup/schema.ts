import { z } from "zod";
import { email, newPassword } from "@/server/auth/schema";
import { displayName } from "@/server/wire";

/** What the first-run page asks; token is the one that the console shows. */
export const completeInput = z.strictObject({
  token: z.string().min(1).max(200),
  organizationName: displayName,
  name: displayName,
  email,
  password: newPassword,
});
export type CompleteInput = z.output<typeof completeInput>;

export const setupStatus = z.strictObject({ needed: z.boolean() });
