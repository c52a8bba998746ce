import { z } from "zod";
import { adminPage, displayName, filterText, guid, isoTime, pagination, zoneName } from "@/server/ground/wire";

export const listInput = z.strictObject({ orgId: guid.optional(), search: filterText, ...adminPage });

/** Only the platform's operator needs partnerId, if there are several partners. */
export const createInput = z.strictObject({ name: displayName, partnerId: guid.optional() });

/**
 * Body of PATCH /orgs/organizations/:id; requireTwoFactor concerns its people (home organization: the partner's staff);
 * timeZone defines the days of its reports, null for none.
 */
export const updateInput = z
  .strictObject({
    id: guid,
    name: displayName.optional(),
    requireTwoFactor: z.boolean().optional(),
    timeZone: zoneName.nullish(),
  })
  .refine(({ id: _, ...changes }) => Object.values(changes).some((value) => value !== undefined), {
    path: ["name"],
    message: "is needed, or requireTwoFactor, or timeZone",
  });
export type UpdateInput = z.output<typeof updateInput>;

export const partnerInput = z.strictObject({ partnerId: guid.optional() });

/** Body of PATCH /orgs/partner; only the platform's operator needs partnerId. */
export const partnerPolicyInput = z.strictObject({ requireTwoFactor: z.boolean(), partnerId: guid.optional() });

/** The policy for every organization of a partner. */
export const partnerPolicy = z.strictObject({ id: guid, name: z.string(), requireTwoFactor: z.boolean() });

/** isHome: organization of the partner's own staff; requireTwoFactor: its people must have a second factor. */
export const organization = z.strictObject({
  id: guid,
  partnerId: guid,
  name: z.string(),
  slug: z.string(),
  isHome: z.boolean(),
  requireTwoFactor: z.boolean(),
  timeZone: z.string().nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Organization = z.output<typeof organization>;

export const organizationPage = z.strictObject({ data: z.array(organization), pagination });
