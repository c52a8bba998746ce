import type { Tx } from "@/db/client";
import { oneOf } from "@/db/rows";
import { notificationDeliveries } from "@/db/schema";
import { newId } from "@/server/ground/ids";
import { enqueue } from "@/server/ground/jobs";

export type DeliveryRow = typeof notificationDeliveries.$inferSelect;

/** A mail; csv is attached under its name. */
export type MailBody = { text: string; html?: string; csv?: { name: string; content: string } };

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

type New = Omit<typeof notificationDeliveries.$inferInsert, "id"> & { createdAt: Date };

async function insert(tx: Tx, row: New): Promise<DeliveryRow> {
  const queued = await tx
    .insert(notificationDeliveries)
    .values({ ...row, id: newId(), nextAttemptAt: row.createdAt })
    .returning();
  const stored = oneOf(queued);
  await queueAttempt(tx, stored);
  return stored;
}

/** Queues a message to an endpoint; it is sent after the commit. */
export function queueWebhook(
  tx: Tx,
  endpoint: Target & { id: string },
  { type, subject, at, data }: Message & { data: Record<string, unknown> },
): Promise<DeliveryRow> {
  const { id: endpointId, partnerId, orgId } = endpoint;
  // Standard Webhooks, "Payload structure".
  const body = JSON.stringify({ type, timestamp: at.toISOString(), data });
  return insert(tx, {
    partnerId,
    orgId,
    endpointId,
    type,
    subject,
    body,
    createdAt: at,
  });
}

/** Queues a mail to a person. */
export function queueMail(
  tx: Tx,
  person: Target & { id: string },
  { type, subject, at, mail }: Message & { mail: MailBody },
): Promise<DeliveryRow> {
  const { id: userId, partnerId, orgId } = person;
  return insert(tx, {
    partnerId,
    orgId,
    userId,
    type,
    subject,
    body: JSON.stringify(mail),
    createdAt: at,
  });
}
