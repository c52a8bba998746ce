import { sql } from "drizzle-orm";
import { userOrganizations, users } from "@/db/schema";
import type { User } from "./schema";

/** What of a user leaves the server: never the password's hash. */
export const userColumns = {
  id: users.id,
  email: users.email,
  name: users.name,
  role: users.role,
  department: users.department,
  orgId: users.orgId,
  partnerId: users.partnerId,
  allOrganizations: users.allOrganizations,
  organizationIds: sql<
    string[]
  >`ARRAY(SELECT m.org_id FROM ${userOrganizations} m WHERE m.user_id = ${users}.id ORDER BY 1)`,
  disabledAt: users.disabledAt,
  invited: sql<boolean>`(${users.passwordHash} IS NULL AND ${users.lastLoginAt} IS NULL)`,
  lastLoginAt: users.lastLoginAt,
  createdAt: users.createdAt,
  updatedAt: users.updatedAt,
};

type Row = Omit<typeof users.$inferSelect, "passwordHash"> & { organizationIds: string[]; invited: boolean };

/** Member by member, so that nothing else of a row can ever slip out. */
export function toUser(row: Row, twoFactor: boolean): User {
  return {
    id: row.id,
    email: row.email,
    name: row.name,
    role: row.role,
    department: row.department,
    orgId: row.orgId,
    partnerId: row.partnerId,
    organizationIds: row.orgId === null && !row.allOrganizations ? row.organizationIds : null,
    disabled: row.disabledAt !== null,
    invited: row.invited,
    twoFactor,
    lastLoginAt: row.lastLoginAt?.toISOString() ?? null,
    createdAt: row.createdAt.toISOString(),
    updatedAt: row.updatedAt.toISOString(),
  };
}
