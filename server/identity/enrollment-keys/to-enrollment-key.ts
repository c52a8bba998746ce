import type { enrollmentKeys } from "@/db/schema";
import type { EnrollmentKey } from "./schema";

/** A key as it leaves the server: never its hash. */
export function toEnrollmentKey({ keyHash: _, ...row }: typeof enrollmentKeys.$inferSelect): EnrollmentKey {
  return {
    ...row,
    expiresAt: row.expiresAt?.toISOString() ?? null,
    revokedAt: row.revokedAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
  };
}
