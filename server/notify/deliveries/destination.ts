import { sendMail } from "@/server/ground/mail";
import { secretsOf } from "@/server/notify/secrets";
import { type Posted, postTo } from "@/server/notify/webhooks/post";
import { signedHeaders } from "@/server/notify/webhooks/sign";
import type { Claimed } from "./claim";
import { mailBody } from "./queue";

/** Result of an attempt; isFinal: retrying is useless. */
export type Outcome = Posted & { isFinal?: true };

const refused = (error: string): Outcome => ({ status: null, error, isFinal: true });

async function post({ id, body, endpoint }: Claimed, now: Date, answerMs?: number): Promise<Outcome> {
  if (!endpoint || endpoint.isDisabled) return refused("The endpoint is disabled.");
  let secrets: string[];
  try {
    secrets = secretsOf("webhooks", endpoint, now);
  } catch {
    return refused("The signing secret cannot be read: NEXTAUTH_SECRET was changed. Rotate the secret.");
  }
  // The id identifies the message to a receiver at every attempt.
  const headers = signedHeaders({ id: `msg_${id}`, at: now, payload: body }, secrets);
  const posted = await postTo(endpoint.url, { body, headers, answerMs });
  // 410 Gone: the receiver wants no further messages (Standard Webhooks).
  return posted.status === 410 ? { ...posted, isFinal: true } : posted;
}

async function mail({ subject, body, email }: Claimed): Promise<Outcome> {
  if (!email) return refused("The person may not sign in any more.");
  try {
    await sendMail({ ...mailBody.parse(JSON.parse(body)), to: email, subject });
    return { status: null, error: null };
  } catch {
    return { status: null, error: "The mail server did not take the message." };
  }
}

/** Sends a message once, if it can still be sent. Never rejects. */
export const attempt = (message: Claimed, now: Date, answerMs?: number): Promise<Outcome> =>
  message.kind === "mail" ? mail(message) : post(message, now, answerMs);
