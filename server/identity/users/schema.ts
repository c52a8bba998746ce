import { z } from "zod";
import { ASSIGNABLE_ROLES } from "@/server/ground/permissions";
import {
  adminPage,
  columnText,
  displayName,
  filterText,
  flagFilter,
  guid,
  isoTime,
  pagination,
} from "@/server/ground/wire";
import { email, newPassword } from "@/server/identity/auth/schema";

const assignableRole = z.enum(ASSIGNABLE_ROLES);
const department = columnText(255).transform((text) => text.trim());

/** Organizations in the reach of a partner role. */
const organizationIds = z.array(guid).min(1).max(1000);

/** twoFactor: only people with a second factor, or only those without. */
export const listInput = z.strictObject({
  orgId: guid.optional(),
  search: filterText,
  twoFactor: flagFilter,
  ...adminPage,
});

/**
 * Body of POST /users. orgId is for organization roles (default: the caller's own); organizationIds limits a partner
 * role (default: all); only the platform's operator needs partnerId. Without a password, invite the person next (POST
 * /users/:id/invite).
 */
export const createInput = z.strictObject({
  email,
  password: newPassword.optional(),
  name: displayName,
  role: assignableRole,
  orgId: guid.optional(),
  department: department.default(""),
  organizationIds: organizationIds.optional(),
  requireTwoFactor: z.boolean().default(false),
  partnerId: guid.optional(),
});
export type CreateInput = z.output<typeof createInput>;

/** Body of PATCH /users/:id. organizationIds null: all of the partner's organizations. */
export const updateInput = z
  .strictObject({
    id: guid,
    role: assignableRole.optional(),
    department: department.optional(),
    disabled: z.boolean().optional(),
    organizationIds: organizationIds.nullable().optional(),
    requireTwoFactor: z.boolean().optional(),
  })
  .refine(({ id: _, ...changes }) => Object.values(changes).some((v) => v !== undefined), {
    message: "has nothing to change: give role, department, disabled, organizationIds or requireTwoFactor",
  });
export type UpdateInput = z.output<typeof updateInput>;

/** A link to choose a password: mailed, or shown only once. */
export const invitation = z.strictObject({
  kind: z.enum(["invite", "reset"]),
  sentTo: z.string().nullable(),
  link: z.string().nullable(),
  expiresAt: isoTime,
});

/**
 * orgId null: partner staff; organizationIds null: reaches all of the partner's organizations; invited: has not chosen
 * a password yet.
 */
export const user = z.strictObject({
  id: guid,
  email: z.string(),
  name: z.string(),
  role: z.string(),
  department: z.string(),
  orgId: guid.nullable(),
  partnerId: guid.nullable(),
  organizationIds: z.array(guid).nullable(),
  disabled: z.boolean(),
  invited: z.boolean(),
  twoFactor: z.boolean().meta({ description: "Whether a second factor is set up" }),
  requireTwoFactor: z.boolean(),
  lastLoginAt: isoTime.nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type User = z.output<typeof user>;

export const userPage = z.strictObject({ data: z.array(user), pagination });
