import { z } from "zod";
import { guid, isoTime } from "@/server/ground/wire";
import { settings } from "@/server/notify/notifications/schema";
import { toSchema } from "./components";
import { exampleOf, shown } from "./example";
import { ORG, THING, TIME } from "./words/samples";

/** An item of a message, with example values. */
const item = z.strictObject({
  id: guid.meta({ description: "Identifies the notification", example: THING }),
  orgId: guid.nullable().meta({ description: "The organization; null for all of the partner's", example: ORG }),
  organization: z.string().nullable().meta({ description: "Its name", example: "Contoso" }),
  sentence: z.string().meta({ description: "What happened", example: "The audit chain of Contoso is broken." }),
  since: isoTime.nullable().meta({ description: "Since when it is so, where that is known", example: TIME }),
  raisedAt: isoTime.meta({ description: "When it was noticed", example: TIME }),
  resolvedAt: isoTime.nullable().meta({ description: "When it was over; null while it is not", example: null }),
  link: z.string().meta({ description: "The page about it", example: "https://trailmark.example.com/integrity" }),
});
const message = z.strictObject({
  type: z
    .enum(["notification.raised", "notification.resolved"])
    .describe("Whether it began or is over; a message of the type notification.test has other data"),
  timestamp: isoTime.meta({ description: "When the message was written", example: TIME }),
  data: z
    .strictObject({
      kind: settings.shape.productKinds.element.describe("The kind of notification"),
      label: z.string().meta({ description: "The kind in words", example: "Broken chain" }),
      total: z.int().meta({ description: "How many notifications there are", example: 1 }),
      notifications: z.array(item).describe("The notifications, at most 500"),
    })
    .describe("All notifications of one kind"),
});
const schema = toSchema(message, "output");

const header = (name: string, description: string) => ({
  name,
  in: "header",
  required: true,
  description,
  schema: { type: "string" },
});

/** Requests to endpoints added by POST /webhooks. */
export const WEBHOOKS = {
  notification: {
    post: {
      operationId: "receiveNotification",
      summary: "Notifications that began or are over (Standard Webhooks)",
      description:
        "Sent to every endpoint of POST /webhooks that takes the kind, until it is answered 2xx within 10 seconds.",
      tags: ["webhooks"],
      security: [],
      parameters: [
        header("webhook-id", "Identifies the message: the same at every attempt"),
        header("webhook-timestamp", "When it was signed, in seconds since 1970"),
        header("webhook-signature", "v1, and the HMAC-SHA256 of id, timestamp and body; several with spaces between"),
      ],
      requestBody: {
        required: true,
        content: { "application/json": { schema, ...shown(exampleOf(schema, "response")) } },
      },
      responses: {
        "2XX": { description: "The message was taken" },
        410: { description: "The endpoint wants no more: it is disabled" },
      },
    },
  },
};
