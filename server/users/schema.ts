import { z } from "zod";
import { ASSIGNABLE_ROLES } from "@/server/auth/permissions";
import { email, newPassword } from "@/server/auth/schema";
import { adminPage, columnText, displayName, filterText, isoTime, pagination } from "@/server/wire";

const assignableRole = z.enum(ASSIGNABLE_ROLES);
const department = columnText(255).transform((text) => text.trim());

export const listInput = z.strictObject({ orgId: z.guid().optional(), search: filterText, ...adminPage });

/**
 * Body of POST /users. orgId is for the organization roles (default: the caller's own organization); organizationIds
 * limits a partner role to those organizations (default: all); partnerId only the platform's operator needs.
 */
export const createInput = z.strictObject({
  email,
  password: newPassword,
  name: displayName,
  role: assignableRole,
  orgId: z.guid().optional(),
  department: department.default(""),
  organizationIds: z.array(z.guid()).min(1).max(1000).optional(),
  partnerId: z.guid().optional(),
});
export type CreateInput = z.output<typeof createInput>;

/** Body of PATCH /users/:id. */
export const updateInput = z
  .strictObject({
    id: z.guid(),
    role: assignableRole.optional(),
    department: department.optional(),
    disabled: z.boolean().optional(),
  })
  .refine((body) => [body.role, body.department, body.disabled].some((v) => v !== undefined), {
    message: "has nothing to change: give role, department or disabled",
  });

/** orgId null: of the partner's staff; organizationIds null: reaches all of the partner's organizations. */
export const user = z.strictObject({
  id: z.guid(),
  email: z.string(),
  name: z.string(),
  role: z.string(),
  department: z.string(),
  orgId: z.guid().nullable(),
  partnerId: z.guid().nullable(),
  organizationIds: z.array(z.guid()).nullable(),
  disabled: z.boolean(),
  lastLoginAt: isoTime.nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type User = z.output<typeof user>;

export const userPage = z.strictObject({ data: z.array(user), pagination });
