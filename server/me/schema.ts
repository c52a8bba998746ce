import { z } from "zod";

/** The caller: who, which organizations it reaches (all of them, by name), what it may. */
export const me = z.strictObject({
  user: z.strictObject({
    type: z.enum(["user", "api_key"]),
    id: z.guid(),
    /** Empty for an API key, like role and department. */
    email: z.string(),
    name: z.string(),
    role: z.string(),
    department: z.string(),
  }),
  scope: z.enum(["organization", "partner", "system"]),
  partnerId: z.guid().nullable(),
  homeOrgId: z.guid().nullable(),
  organizations: z.array(z.strictObject({ id: z.guid(), name: z.string(), slug: z.string(), isHome: z.boolean() })),
  permissions: z.array(z.string()),
});
export type Me = z.output<typeof me>;
