import type { organizations } from "@/db/schema";
import type { Organization } from "./schema";

export const toOrganization = (row: typeof organizations.$inferSelect): Organization => ({
  ...row,
  createdAt: row.createdAt.toISOString(),
  updatedAt: row.updatedAt.toISOString(),
});
