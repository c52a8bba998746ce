import { z } from "zod";
import { adminPage, displayName, guid, isoTime, overlapSeconds, pagination } from "@/server/ground/wire";
import { KIND_NAMES } from "@/server/notify/vocabulary";

const MAX_URL_LENGTH = 2048;

/** Kinds of notifications, each once. */
const kindList = z
  .array(z.enum(KIND_NAMES))
  .max(100)
  .transform((list) => [...new Set(list)])
  .meta({ example: ["chain.broken", "chain.head_lost", "events.lost"] });

/** As a URL parser writes it: what it cannot say in plain characters is escaped. */
const address = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(MAX_URL_LENGTH)
  .transform((text) => new URL(text).href)
  .refine((href) => href.length <= MAX_URL_LENGTH, `is longer than ${MAX_URL_LENGTH} characters`)
  .meta({ description: "Where messages are posted to", example: "https://hooks.example.com/trailmark" });
const kinds = kindList.refine((list) => list.length > 0, "must name a kind");

export const listInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

/**
 * Body of POST /webhooks. Without orgId the endpoint is notified of what its maker reaches: the one organization, or all of
 * the partner's. partnerId only the platform's operator needs.
 */
export const createInput = z.strictObject({
  name: displayName.meta({ example: "Incident desk" }),
  url: address,
  kinds,
  orgId: guid.nullish(),
  partnerId: guid.optional(),
});

/** Body of PATCH /webhooks/:id; what is left out stays. disabled false also forgets why it was disabled. */
export const updateInput = z.strictObject({
  id: guid,
  name: displayName.optional(),
  url: address.optional(),
  kinds: kinds.optional(),
  disabled: z.boolean().optional(),
});
export type UpdateInput = z.output<typeof updateInput>;

/** Body of POST /webhooks/:id/rotate: for how long messages are signed with the former secret as well, 0 for not at all. */
export const rotateInput = z.strictObject({
  id: guid,
  overlapSeconds: overlapSeconds.meta({ example: 86_400 }),
});

/**
 * orgId null: of all organizations of the partner. formerUntil: until when messages carry a signature by the secret before
 * the last rotation too. disabledByFailure: disabled by this server, because it answered 410 Gone, or nothing could be
 * delivered to it for 5 days.
 */
export const webhook = z.strictObject({
  id: guid,
  name: z.string(),
  url: z.string(),
  kinds: z.array(z.string()),
  orgId: guid.nullable(),
  partnerId: guid,
  disabledAt: isoTime.nullable(),
  disabledByFailure: z.boolean(),
  failingSince: isoTime.nullable().meta({ description: "Since when no message has been delivered, though tried" }),
  formerUntil: isoTime.nullable(),
  createdAt: isoTime,
  updatedAt: isoTime,
});
export type Webhook = z.output<typeof webhook>;

/** The signing secret appears here alone. */
export const createdWebhook = webhook.extend({
  secret: z.string().meta({
    description: "The signing secret (Standard Webhooks), shown in this answer alone",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  }),
});

export const webhookPage = z.strictObject({ data: z.array(webhook), pagination });
