import { z } from "zod";
import { guid, isoTime } from "@/server/ground/wire";

/** Setup steps in order. */
const STEPS = ["organization", "enrollment_key", "agent", "verified", "backup", "witness", "two_factor"] as const;
export type Step = (typeof STEPS)[number];

export const dismissInput = z.strictObject({ dismissed: z.boolean() });

/**
 * Steps and their state. orgId: organization to continue with, that of the first device or the first customer. Null for
 * programs, and people who may not create organizations.
 */
export const checklist = z
  .strictObject({
    steps: z.array(z.strictObject({ step: z.enum(STEPS), done: z.boolean() })),
    orgId: guid.nullable(),
    lastBackupAt: isoTime.nullable(),
    dismissed: z.boolean(),
  })
  .nullable();
export type Checklist = NonNullable<z.output<typeof checklist>>;
