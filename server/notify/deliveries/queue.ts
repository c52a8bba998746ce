import { z } from "zod";
import type { Tx } from "@/db/client";
import { oneOf } from "@/db/rows";
import { notificationDeliveries } from "@/db/schema";
import { newId } from "@/server/ground/ids";
import { enqueue } from "@/server/ground/jobs";

export type DeliveryRow = typeof notificationDeliveries.$inferSelect;

/** A mail; csv is attached under its name. */
export const mailBody = z.object({
  text: z.string(),
  html: z.string().optional(),
  csv: z.object({ name: z.string(), content: z.string() }).optional(),
});
export type MailBody = z.output<typeof mailBody>;

/** Recipient, and its organization or partner, which row-level security checks. */
type Target = { partnerId: string | null; orgId: string | null };
type Message = { type: string; subject: string; at: Date };

export const DELIVERY = { name: "delivery" };

type Waiting = Pick<DeliveryRow, "id" | "endpointId" | "orgId" | "partnerId">;

/** Schedules an attempt now or later, replacing any waiting one. */
export const queueAttempt = (tx: Tx, { id, endpointId, orgId, partnerId }: Waiting, at?: Date): Promise<void> =>
  enqueue(tx, DELIVERY, {
    data: { id },
    key: id,
    ...(at && { at }),
    ...(endpointId && { group: orgId ?? partnerId }),
  });

type New = Pick<typeof notificationDeliveries.$inferInsert, "endpointId" | "userId" | "type" | "subject" | "body">;

async function insert(tx: Tx, { partnerId, orgId }: Target, { at, ...row }: New & { at: Date }): Promise<DeliveryRow> {
  const queued = await tx
    .insert(notificationDeliveries)
    .values({ ...row, id: newId(), partnerId, orgId, createdAt: at, nextAttemptAt: at })
    .returning();
  const stored = oneOf(queued);
  await queueAttempt(tx, stored);
  return stored;
}

/** Queues a message to an endpoint; it is sent after the commit. */
export function queueWebhook(
  tx: Tx,
  endpoint: Target & { id: string },
  { data, ...message }: Message & { data: Record<string, unknown> },
): Promise<DeliveryRow> {
  const { type, at } = message;
  // Standard Webhooks, "Payload structure".
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  return insert(tx, endpoint, { ...message, endpointId: endpoint.id, body });
}

/** Queues a mail to a person. */
export const queueMail = (
  tx: Tx,
  person: Target & { id: string },
  { mail, ...message }: Message & { mail: MailBody },
): Promise<DeliveryRow> => insert(tx, person, { ...message, userId: person.id, body: JSON.stringify(mail) });
