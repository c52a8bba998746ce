import { z } from "zod";
import { adminPage, displayName, guid, isoTime, overlapSeconds, pagination } from "@/server/ground/wire";
import { KIND_NAMES } from "@/server/notify/vocabulary";

const MAX_URL_LENGTH = 2048;

const kindList = z
  .array(z.enum(KIND_NAMES))
  .max(100)
  .transform((list) => [...new Set(list)])
  .meta({ example: ["chain.broken", "chain.head_lost", "events.lost"] });

/** As a URL parser writes it, special characters escaped. */
const address = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(MAX_URL_LENGTH)
  .transform((text) => new URL(text).href)
  .refine((href) => href.length <= MAX_URL_LENGTH, `is longer than ${MAX_URL_LENGTH} characters`)
  .meta({ description: "Where messages are posted to", example: "https://hooks.example.com/trailmark" });
const kinds = kindList.refine((list) => list.length > 0, "must name a kind");

export const listInput = z.strictObject({ orgId: guid.optional(), ...adminPage });

/**
 * Body of POST /webhooks. Without orgId the endpoint covers its creator's reach: one organization, or all of the
 * partner's. Only the platform's operator needs partnerId.
 */
export const createInput = z.strictObject({
  name: displayName.meta({ example: "Incident desk" }),
  url: address,
  kinds,
  orgId: guid.nullish(),
  partnerId: guid.optional(),
});

/** Body of PATCH /webhooks/:id; omitted members stay. disabled false also clears the reason it was disabled. */
export const updateInput = z.strictObject({
  id: guid,
  name: displayName.optional(),
  url: address.optional(),
  kinds: kinds.optional(),
  disabled: z.boolean().optional(),
});
export type UpdateInput = z.output<typeof updateInput>;

/** Body of POST /webhooks/:id/rotate: how long messages are also signed with the former secret, 0 for not at all. */
export const rotateInput = z.strictObject({
  id: guid,
  overlapSeconds: overlapSeconds.meta({ example: 86_400 }),
});

/**
 * orgId null: of all organizations of the partner. formerUntil: until when messages are also signed with the previous
 * secret. disabledByFailure: disabled by this server after 410 Gone, or 5 days without a delivery.
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

/** The only answer with the signing secret. */
export const createdWebhook = webhook.extend({
  secret: z.string().meta({
    description: "The signing secret (Standard Webhooks), shown in this answer alone",
    example: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo=",
  }),
});

export const webhookPage = z.strictObject({ data: z.array(webhook), pagination });
