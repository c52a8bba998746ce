import { z } from "zod";
import { ZERO_UUID } from "@/server/ground/context";
import type { CheckStep } from "@/server/notify/streams/schema";
import { CHECK_STEPS } from "@/server/notify/streams/vocabulary";
import { refusalBy, requireAllowed } from "@/server/notify/webhooks/address";
import { type Answer, type NoAnswer, REFUSED, refusalOf, UNTRUSTED } from "@/server/notify/webhooks/post";
import type { Failure, Message, Outcome } from "./destination";

/** Shared by HTTP destinations: addresses, and interpretation of answers. */

/** An address allowed by the operator. */
export const allowedUrl = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(2048)
  .transform((text) => new URL(text).href)
  .superRefine((url, context) => {
    const message = refusalBy((may) => requireAllowed(new URL(url), may));
    if (message) context.addIssue({ code: "custom", message });
  });

/** A setting in which {org.id} and {org.slug} are replaced by the entries' organization. */
export const template = (max: number) =>
  z
    .string()
    .trim()
    .min(1)
    .max(max)
    .refine((text) => !/[{}]/.test(text.replace(/\{org\.(id|slug)\}/g, "")), "knows only {org.id} and {org.slug}");

export const filledIn = (text: string, { id, slug }: Message["organization"]): string =>
  text.replaceAll("{org.id}", id).replaceAll("{org.slug}", slug);

/** A token, key or password sent in a header. */
export const headerSecret = (label: string) => ({ label, schema: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });

/** A message that tests a receiver without sending an entry. */
export function checkMessage(at: Date): Message {
  const id = `check_${at.getTime()}`;
  const text = JSON.stringify({ type: "trailmark.check", at: at.toISOString() });
  return {
    id,
    organization: { id: ZERO_UUID, name: "Trailmark", slug: "trailmark" },
    lines: [{ id, seq: null, time: at, text }],
    mediaType: "application/json",
  };
}

/** Characters of a receiver's answer shown to a person. */
const MAX_QUOTED = 512;
const MAX_RETRY_AFTER_MS = 60 * 60 * 1000;

/** Requested wait (RFC 9110, Retry-After), at most an hour. */
function retryAfterOf(header: string | undefined, now: Date): number | undefined {
  if (!header) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1_000 : Date.parse(header) - now.getTime();
  return Number.isFinite(ms) && ms > 0 ? Math.min(ms, MAX_RETRY_AFTER_MS) : undefined;
}

/** An answer other than 2xx in words, with the start of its body. */
function refusedWith({ status, body }: Answer): string {
  const quoted = body.trim().slice(0, MAX_QUOTED);
  return quoted ? `${refusalOf(status)} ${quoted}` : refusalOf(status);
}

/** Temporary statuses: busy or briefly unavailable. */
const PASSING = new Set([408, 425, 429]);

/** Outcome without an answer. */
export const outcomeOfNone = ({ code, error: message }: NoAnswer): Failure => ({
  kind: code === REFUSED || code === UNTRUSTED ? "blocked" : "again",
  code,
  message,
});

/** Outcome of an answer; `acknowledged` is specific to each destination. */
export function outcomeOf(answer: Answer | NoAnswer, now: Date): Outcome {
  if (answer.status === null) return outcomeOfNone(answer);
  const { status, headers } = answer;
  const code = String(status);
  if (status >= 200 && status < 300) return { kind: "acknowledged", receipt: { status } };
  const message = refusedWith(answer);
  if (status === 410) return { kind: "disabled", code, message };
  if (status >= 500 || PASSING.has(status)) {
    const retryAfterMs = retryAfterOf(headers["retry-after"], now);
    return { kind: "again", code, message, ...(retryAfterMs !== undefined && { retryAfterMs }) };
  }
  // Other 4xx may be caused by one entry, which halving finds.
  const isOfBatch = status >= 400 && ![401, 403, 404, 405, 407].includes(status);
  return { kind: isOfBatch ? "too_large" : "blocked", code, message };
}

type Step = CheckStep["step"];

const DONE: Record<Step, string> = {
  address: "The address is allowed.",
  connect: "The receiver answers.",
  tls: "The certificate is trusted.",
  sign_in: "The receiver accepts the sender.",
  write: "The receiver accepts a message.",
  acknowledge: "The receiver acknowledges what it has.",
};

/** Step at which a connection failed. */
export function failedAt(code: string): Step {
  if ([REFUSED, "ENOTFOUND", "EAI_AGAIN"].includes(code)) return "address";
  return [UNTRUSTED, "tls", "EPROTO"].includes(code) || code.startsWith("ERR_SSL") ? "tls" : "connect";
}

/** Passed steps before one; all by default. */
export const stepsBefore = (step: Step | null, isTls: boolean): CheckStep[] =>
  CHECK_STEPS.slice(0, step === null ? undefined : CHECK_STEPS.indexOf(step))
    .filter((one) => one !== "tls" || isTls)
    .map((one) => ({ step: one, ok: true, message: DONE[one] }));

/** Steps of a check visible in a request; ends with the first failure. */
export function stepsOf(answer: Answer | NoAnswer, url: string): CheckStep[] {
  const isTls = url.startsWith("https:");
  const { status } = answer;
  if (status !== null && status >= 200 && status < 300) return stepsBefore(null, isTls);
  const step = status === null ? failedAt(answer.code) : [401, 403, 407].includes(status) ? "sign_in" : "write";
  const message = status === null ? answer.error : refusedWith(answer);
  return [...stepsBefore(step, isTls), { step, ok: false, message }];
}
