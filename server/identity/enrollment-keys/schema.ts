import { z } from "zod";
import { adminPage, guid, instant, isoTime, pagination } from "@/server/ground/wire";

const MAX_ENROLLMENT_USES = 1_000_000;

export const listInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

/** Body of POST /enrollment-keys; callers of a single organization may omit orgId. */
export const createInput = z.strictObject({
  orgId: guid.optional(),
  maxUses: z.int().min(1).max(MAX_ENROLLMENT_USES).nullish(),
  expiresAt: instant.nullish(),
});

/** maxUses null: unlimited; expiresAt null: until revoked. */
const enrollmentKey = z.strictObject({
  id: guid,
  orgId: guid,
  prefix: z.string(),
  maxUses: z.int().nullable(),
  uses: z.int(),
  expiresAt: isoTime.nullable(),
  revokedAt: isoTime.nullable(),
  createdBy: guid.nullable(),
  createdAt: isoTime,
});
export type EnrollmentKey = z.output<typeof enrollmentKey>;

/** The only answer with the key itself. */
export const createdEnrollmentKey = enrollmentKey.extend({ key: z.string() });

export const enrollmentKeyPage = z.strictObject({ data: z.array(enrollmentKey), pagination });
