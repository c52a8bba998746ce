import { z } from "zod";
import { PERMISSIONS } from "@/server/auth/permissions";
import { adminPage, displayName, instant, isoTime, pagination } from "@/server/wire";

export const listInput = z.strictObject({ orgId: z.guid().optional(), ...adminPage });

/**
 * Body of POST /api-keys. Without orgId the key reaches what its maker does: the one organization, or all of the
 * partner's. partnerId only the platform's operator needs.
 */
export const createInput = z.strictObject({
  name: displayName,
  orgId: z.guid().nullish(),
  permissions: z
    .array(z.enum(PERMISSIONS))
    .min(1)
    .max(100)
    .transform((list) => [...new Set(list)]),
  expiresAt: instant.nullish(),
  partnerId: z.guid().optional(),
});

/** prefix is the start of the key, to tell one from another; orgId null: all organizations of the partner. */
const apiKey = z.strictObject({
  id: z.guid(),
  name: z.string(),
  prefix: z.string(),
  orgId: z.guid().nullable(),
  partnerId: z.guid(),
  permissions: z.array(z.string()),
  expiresAt: isoTime.nullable(),
  revokedAt: isoTime.nullable(),
  lastUsedAt: isoTime.nullable(),
  createdBy: z.guid().nullable(),
  createdAt: isoTime,
});
export type ApiKey = z.output<typeof apiKey>;

/** The key itself appears here alone. */
export const createdApiKey = apiKey.extend({ key: z.string() });

export const apiKeyPage = z.strictObject({ data: z.array(apiKey), pagination });
