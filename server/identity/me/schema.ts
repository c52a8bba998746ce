import { z } from "zod";
import { guid, isoTime } from "@/server/ground/wire";
import { newPassword, password } from "@/server/identity/auth/schema";

/** The caller: identity, organizations in reach (all, by name), and permissions. */
export const me = z.strictObject({
  user: z.strictObject({
    type: z.enum(["user", "api_key"]),
    id: guid,
    /** Empty for an API key, like role and department. */
    email: z.string(),
    name: z.string(),
    role: z.string(),
    department: z.string(),
  }),
  scope: z.enum(["organization", "partner", "system"]),
  partnerId: guid.nullable(),
  homeOrgId: guid.nullable(),
  /** True: future organizations too, and partner-wide settings. */
  allOrganizations: z.boolean(),
  organizations: z.array(z.strictObject({ id: guid, name: z.string(), slug: z.string(), isHome: z.boolean() })),
  /** True: everything but the own account is refused until a second factor is set up. */
  mustSetUpTwoFactor: z.boolean(),
  permissions: z.array(z.string()),
});
export type Me = z.output<typeof me>;

/** Body of POST /me/password. */
export const passwordInput = z
  .strictObject({ currentPassword: password, newPassword })
  .refine((body) => body.currentPassword !== body.newPassword, {
    path: ["newPassword"],
    message: "is the same as the current password",
  });

/** endedSessions: number of other sign-ins ended by the new password. */
export const passwordChanged = z.strictObject({ endedSessions: z.int() });

/** An active sign-in; ip and userAgent are null where unknown. */
const session = z.strictObject({
  id: guid,
  current: z.boolean(),
  via: z.enum(["api", "browser"]),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
  createdAt: isoTime,
  lastSeenAt: isoTime,
});
export type MySession = z.output<typeof session>;

/** Sign-ins per answer: a program that signs in every minute has tens of thousands. */
export const MAX_LISTED_SESSIONS = 100;

/** The caller's own first, then most recently used, at most MAX_LISTED_SESSIONS of total. */
export const sessionList = z.strictObject({ data: z.array(session), total: z.int() });
