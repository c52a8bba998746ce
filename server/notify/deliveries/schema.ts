import { z } from "zod";
import { adminPage, choiceFilter, guid, isoTime, pagination } from "@/server/ground/wire";

const STATUSES = ["pending", "delivered", "failed"] as const;

/** Query of GET /deliveries. */
export const listInput = z.strictObject({
  orgId: guid.optional(),
  endpointId: guid.optional(),
  status: choiceFilter(STATUSES),
  ...adminPage,
});

/**
 * A message to an endpoint, or by mail to the caller. responseCode is the endpoint's last answer; nextAttemptAt is null
 * once delivered or given up.
 */
export const delivery = z.strictObject({
  id: guid,
  channel: z.enum(["webhook", "mail"]),
  endpointId: guid.nullable(),
  target: z.string().meta({ description: "The endpoint's name, or the person's e-mail address" }),
  orgId: guid.nullable(),
  type: z.string().meta({ example: "notification.raised" }),
  subject: z.string(),
  status: z.enum(STATUSES),
  attempts: z.int(),
  responseCode: z.int().nullable().meta({ example: 204 }),
  error: z.string().nullable(),
  createdAt: isoTime,
  lastAttemptAt: isoTime.nullable(),
  nextAttemptAt: isoTime.nullable(),
  deliveredAt: isoTime.nullable(),
});
export type Delivery = z.output<typeof delivery>;

export const deliveryPage = z.strictObject({ data: z.array(delivery), pagination });
