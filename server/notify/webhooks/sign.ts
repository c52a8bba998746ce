import { createHmac, randomBytes } from "node:crypto";

const PREFIX = "whsec_";
const SECRET_BYTES = 32;

/** A fresh signing secret of an endpoint (Standard Webhooks, "Symmetric"). */
export const newSigningSecret = (): string => PREFIX + randomBytes(SECRET_BYTES).toString("base64");

export type Message = { id: string; at: Date; payload: string | Uint8Array };

function signature(secret: string, { id, payload }: Message, seconds: number): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${seconds}.`).update(payload).digest("base64")}`;
}

/**
 * Headers of a message by Standard Webhooks: id, time of this attempt, and a signature per secret.
 * @param secrets of the form whsec_…; two during a rotation
 */
export function signedHeaders(message: Message, secrets: readonly string[]): Record<string, string> {
  const seconds = Math.floor(message.at.getTime() / 1000);
  return {
    "webhook-id": message.id,
    "webhook-timestamp": String(seconds),
    "webhook-signature": secrets.map((secret) => signature(secret, message, seconds)).join(" "),
  };
}
