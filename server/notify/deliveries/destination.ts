import { z } from "zod";
import { sendMail } from "@/server/ground/mail";
import { type Posted, postTo } from "@/server/notify/webhooks/post";
import { signedHeaders, unsealSecret } from "@/server/notify/webhooks/sign";
import type { Claimed } from "./claim";

/** Result of an attempt; isFinal: retrying is useless. */
export type Outcome = Posted & { isFinal?: true };

/** Destination of messages. To add one, export this from a file and add a line to DESTINATIONS. */
type Destination = {
  /** Reason that the message can no longer be sent there; null if it can. */
  check: (message: Claimed, now: Date) => string | null;
  /** Sends a checked message once. Never rejects. */
  send: (message: Claimed, now: Date, answerMs?: number) => Promise<Outcome>;
};

function secretsOf({ endpoint }: Claimed, now: Date): string[] {
  if (!endpoint) return [];
  const { id, secret, formerSecret, formerUntil } = endpoint;
  const former = formerSecret && formerUntil && new Date(formerUntil) > now ? [formerSecret] : [];
  return [secret, ...former].map((sealed) => unsealSecret(sealed, id));
}

const webhook: Destination = {
  check(message, now) {
    if (message.endpoint?.isDisabled) return "The endpoint is disabled.";
    try {
      secretsOf(message, now);
      return null;
    } catch {
      return "The signing secret cannot be read: NEXTAUTH_SECRET was changed. Rotate the secret.";
    }
  },
  async send(message, now, answerMs) {
    const { id, body, endpoint } = message;
    // The id identifies the message to a receiver at every attempt.
    const headers = signedHeaders({ id: `msg_${id}`, at: now, payload: body }, secretsOf(message, now));
    const posted = await postTo(endpoint?.url ?? "", { body, headers, answerMs });
    // 410 Gone: the receiver wants no further messages (Standard Webhooks).
    return posted.status === 410 ? { ...posted, isFinal: true } : posted;
  },
};

const mailBody = z.object({
  text: z.string(),
  html: z.string().optional(),
  csv: z.object({ name: z.string(), content: z.string() }).optional(),
});

const mail: Destination = {
  check: ({ email }) => (email ? null : "The person may not sign in any more."),
  async send({ subject, body, email }) {
    try {
      await sendMail({ ...mailBody.parse(JSON.parse(body)), to: email ?? "", subject });
      return { status: null, error: null };
    } catch {
      return { status: null, error: "The mail server did not take the message." };
    }
  },
};

const DESTINATIONS = { webhook, mail };

export async function attempt(message: Claimed, now: Date, answerMs?: number): Promise<Outcome> {
  const { check, send } = DESTINATIONS[message.kind];
  const error = check(message, now);
  return error === null ? send(message, now, answerMs) : { status: null, error, isFinal: true };
}
