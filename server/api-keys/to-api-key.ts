import { and, eq, isNull, or, type SQL } from "drizzle-orm";
import { apiKeys } from "@/db/schema";
import type { Ctx } from "@/server/context";
import { inScope } from "@/server/scope";
import type { ApiKey } from "./schema";

/** The keys that a caller administers: those of its organizations and, for a partner, the partner-wide ones. */
export function keysInScope({ scope }: Ctx): SQL | undefined {
  const ofOrganizations = inScope(apiKeys.orgId, scope);
  if (scope.kind !== "partner") return ofOrganizations;
  return or(ofOrganizations, and(isNull(apiKeys.orgId), eq(apiKeys.partnerId, scope.partnerId)));
}

/** A key as it leaves the server: never its hash. */
export function toApiKey({ keyHash: _, ...row }: typeof apiKeys.$inferSelect): ApiKey {
  return {
    ...row,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    lastUsedAt: row.lastUsedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
