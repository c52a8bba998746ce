import { z } from "zod";
import { allowed, RefusedAddress, requireAllowed } from "@/server/notify/webhooks/address";
import { REFUSED, refusalOf, type sendTo, UNTRUSTED } from "@/server/notify/webhooks/post";
import type { Batch, CheckStep, Outcome } from "./destination";

/** Shared by HTTP destinations: addresses, and interpretation of answers. */

/** Reason that an address is not allowed; null if it is. */
function faultOf(url: string): string | null {
  try {
    requireAllowed(new URL(url), allowed());
    return null;
  } catch (error) {
    return error instanceof RefusedAddress ? error.message : "is no address";
  }
}

/** An address allowed by the operator. */
export const allowedUrl = z
  .url({ protocol: /^https?$/, error: "must be an https address" })
  .max(2048)
  .transform((text) => new URL(text).href)
  .superRefine((url, context) => {
    const message = faultOf(url);
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

export const filledIn = (text: string, { id, slug }: Batch["organization"]): string =>
  text.replaceAll("{org.id}", id).replaceAll("{org.slug}", slug);

/** A token, key or password sent in a header. */
export const headerSecret = (label: string) => ({ label, schema: z.string().regex(/^[\x21-\x7e]{1,4096}$/) });

export type HttpAnswer = Awaited<ReturnType<typeof sendTo>>;

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
function refusedWith({ status, body }: Extract<HttpAnswer, { status: number }>): string {
  const quoted = body.trim().slice(0, MAX_QUOTED);
  return quoted ? `${refusalOf(status)} ${quoted}` : refusalOf(status);
}

/** Temporary statuses: busy or briefly unavailable. */
const PASSING = new Set([408, 425, 429]);

/** Outcome of an answer; `acknowledged` is specific to each destination. */
export function outcomeOf(answer: HttpAnswer, now: Date): Outcome {
  if (answer.status === null) {
    const { code, error: message } = answer;
    return { kind: code === REFUSED || code === UNTRUSTED ? "blocked" : "again", code, message };
  }
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

const ORDER = ["address", "connect", "tls", "sign_in", "write", "acknowledge"] as const;
type Step = (typeof ORDER)[number];

const DONE: Record<Step, string> = {
  address: "The address is allowed.",
  connect: "The receiver answers.",
  tls: "The certificate is trusted.",
  sign_in: "The receiver accepts the sender.",
  write: "The receiver accepts a message.",
  acknowledge: "The receiver acknowledges what it has.",
};

function failedAt(answer: HttpAnswer): Step | null {
  if (answer.status !== null) {
    if (answer.status >= 200 && answer.status < 300) return null;
    return [401, 403, 407].includes(answer.status) ? "sign_in" : "write";
  }
  if ([REFUSED, "ENOTFOUND", "EAI_AGAIN"].includes(answer.code)) return "address";
  return answer.code === UNTRUSTED || answer.code.startsWith("ERR_SSL") || answer.code === "EPROTO" ? "tls" : "connect";
}

/** Steps of a check visible in a request; ends with the first failure. */
export function stepsOf(answer: HttpAnswer, url: string): CheckStep[] {
  const failed = failedAt(answer);
  const order = ORDER.filter((step) => step !== "tls" || url.startsWith("https:"));
  const passed = failed === null ? order : order.slice(0, order.indexOf(failed));
  const steps: CheckStep[] = passed.map((step) => ({ step, ok: true, message: DONE[step] }));
  const message = answer.status === null ? answer.error : refusedWith(answer);
  return failed === null ? steps : [...steps, { step: failed, ok: false, message }];
}
