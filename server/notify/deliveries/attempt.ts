import { z } from "zod";
import { sendMail } from "@/server/ground/mail";
import { type Posted, postTo } from "@/server/notify/webhooks/post";
import { signedHeaders, unsealSecret } from "@/server/notify/webhooks/sign";
import type { Claimed } from "./claim";

/** What became of an attempt; isFinal: no other attempt would do better. */
export type Outcome = Posted & { isFinal?: true };

const mailBody = z.object({
  text: z.string(),
  html: z.string().optional(),
  csv: z.object({ name: z.string(), content: z.string() }).optional(),
});

/** The id that a receiver knows a message by: the same at every attempt. */
const messageId = (deliveryId: string): string => `msg_${deliveryId}`;

type Endpoint = NonNullable<Claimed["endpoint"]>;

function secretsOf({ id, secret, formerSecret, formerUntil }: Endpoint, now: Date): string[] {
  const former = formerSecret && formerUntil && new Date(formerUntil) > now ? [formerSecret] : [];
  return [secret, ...former].map((sealed) => unsealSecret(sealed, id));
}

async function toEndpoint({ id, body }: Claimed, endpoint: Endpoint, now: Date): Promise<Outcome> {
  if (endpoint.isDisabled) return { status: null, error: "The endpoint is disabled.", isFinal: true };
  let secrets: string[];
  try {
    secrets = secretsOf(endpoint, now);
  } catch {
    const error = "The signing secret cannot be read: NEXTAUTH_SECRET was changed. Rotate the secret.";
    return { status: null, error, isFinal: true };
  }
  const headers = signedHeaders({ id: messageId(id), at: now, payload: body }, secrets);
  const posted = await postTo(endpoint.url, { body, headers });
  // 410 Gone: the receiver wants no more messages (Standard Webhooks).
  return posted.status === 410 ? { ...posted, isFinal: true } : posted;
}

async function byMail({ subject, body, email }: Claimed): Promise<Outcome> {
  if (!email) return { status: null, error: "The person may not sign in any more.", isFinal: true };
  try {
    await sendMail({ ...mailBody.parse(JSON.parse(body)), to: email, subject });
    return { status: null, error: null };
  } catch {
    return { status: null, error: "The mail server did not take the message." };
  }
}

/** Sends a message once. Never rejects. */
export const attempt = (claimed: Claimed, now: Date): Promise<Outcome> =>
  claimed.endpoint ? toEndpoint(claimed, claimed.endpoint, now) : byMail(claimed);
