import { z } from "zod";
import { columnText } from "@/server/audit/schema";
import { filterText, isoTime, pageShape, pagination } from "@/server/devices/schema";

/** Every list of the platform's administration pages the same way. */
export const DEFAULT_LIMIT = 50;
export const MAX_LIMIT = 100;
export const adminPage = pageShape(DEFAULT_LIMIT, MAX_LIMIT);

/** A name that people see; stored without the spaces around it. */
export const displayName = columnText(255)
  .transform((text) => text.trim())
  .refine((text) => text !== "", "is blank");

export const listInput = z.strictObject({ orgId: z.guid().optional(), search: filterText, ...adminPage });
export type ListInput = z.output<typeof listInput>;

export const idInput = z.strictObject({ id: z.guid() });
export type IdInput = z.output<typeof idInput>;

/** partnerId is needed by the platform's operator alone, when there are several partners. */
export const createInput = z.strictObject({ name: displayName, partnerId: z.guid().optional() });
export type CreateInput = z.output<typeof createInput>;

export const updateInput = z.strictObject({ id: z.guid(), name: displayName });
export type UpdateInput = z.output<typeof updateInput>;

/** isHome: the partner's own staff. */
export const organization = z.strictObject({
  id: z.guid(),
  partnerId: z.guid(),
  name: z.string(),
  slug: z.string(),
  isHome: z.boolean(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Organization = z.output<typeof organization>;

export const organizationPage = z.strictObject({ data: z.array(organization), pagination });
export type OrganizationPage = z.output<typeof organizationPage>;
