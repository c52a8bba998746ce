import { z } from "zod";
import { PERMISSIONS } from "@/server/ground/permissions";
import { adminPage, displayName, guid, instant, isoTime, overlapSeconds, pagination } from "@/server/ground/wire";

export const listInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

const permissions = z
  .array(z.enum(PERMISSIONS))
  .min(1)
  .max(100)
  .transform((list) => [...new Set(list)]);

/**
 * Body of POST /api-keys. Without orgId the key gets its creator's reach: one organization, or all of the partner's.
 * Only the platform's operator needs partnerId.
 */
export const createInput = z.strictObject({
  name: displayName,
  orgId: guid.nullish(),
  permissions,
  expiresAt: instant.nullish(),
  partnerId: guid.optional(),
});

/** Body of PATCH /api-keys/:id; omitted members stay unchanged, expiresAt null means no expiry. */
export const updateInput = z.strictObject({
  id: guid,
  name: displayName.optional(),
  permissions: permissions.optional(),
  expiresAt: instant.nullish(),
});

/** Body of POST /api-keys/:id/rotate: how long the former secret still works, 0 for not at all. */
export const rotateInput = z.strictObject({
  id: guid,
  overlapSeconds,
});

/**
 * prefix is the start of the key, for recognition; orgId null: all organizations of the partner. formerUntil: until
 * when the previous secret works. isCreatorDisabled: the creator may no longer sign in.
 */
export const apiKey = z.strictObject({
  id: guid,
  name: z.string(),
  prefix: z.string(),
  orgId: guid.nullable(),
  partnerId: guid,
  permissions: z.array(z.string()),
  expiresAt: isoTime.nullable(),
  revokedAt: isoTime.nullable(),
  lastUsedAt: isoTime.nullable(),
  lastUsedIp: z.string().nullable(),
  formerUntil: isoTime.nullable(),
  createdBy: guid.nullable(),
  isCreatorDisabled: z.boolean(),
  createdAt: isoTime,
});
export type ApiKey = z.output<typeof apiKey>;

/** The only answer with the key itself. */
export const createdApiKey = apiKey.extend({ key: z.string() });

export const apiKeyPage = z.strictObject({ data: z.array(apiKey), pagination });
