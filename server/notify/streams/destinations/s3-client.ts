import { createHash } from "node:crypto";
import { AwsV4Signer } from "aws4fetch";
import { type Answer, type NoAnswer, sendTo } from "@/server/notify/webhooks/post";
import type { Outcome, Target } from "./destination";
import { outcomeOf } from "./http";

/** Signed requests (SigV4) to an S3-compatible store, through the guarded client. */

/** Longer than for messages, because uploads are larger. */
const ANSWER_MS = 120_000;
const MAX_OBJECT_BYTES = 64 * 1024 * 1024;

export type Store = {
  region: string;
  bucket: string;
  accessKeyId: string;
  endpoint?: string | undefined;
};

/** An object to write. metadata: stored with it. lockUntil: earliest deletion. */
export type NewObject = {
  key: string;
  body: Uint8Array;
  type: string;
  encoding?: string;
  metadata?: Record<string, string>;
  lock?: { mode: "governance" | "compliance"; until: Date } | null;
  /** Whether an existing object stays. */
  isOnce: boolean;
};

type StoreRequest = {
  method: "GET" | "HEAD" | "PUT";
  key: string;
  headers?: Record<string, string>;
  body?: Uint8Array;
};

export const digestOf = (bytes: Uint8Array, encoding: "hex" | "base64"): string =>
  createHash("sha256").update(bytes).digest(encoding);

export const endpointOf = ({ endpoint, region }: Pick<Store, "endpoint" | "region">): string =>
  endpoint?.replace(/\/$/, "") ?? `https://s3.${region}.amazonaws.com`;

const pathOf = (text: string): string => text.split("/").map(encodeURIComponent).join("/");

async function request(target: Target<Store>, { method, key, headers, body }: StoreRequest) {
  const { config, secrets, signal, onStep } = target;
  const bytes = body ?? new Uint8Array();
  const url = `${endpointOf(config)}/${pathOf(config.bucket)}/${pathOf(key)}`;
  const signed = await new AwsV4Signer({
    method,
    url,
    headers: { ...headers, "x-amz-content-sha256": digestOf(bytes, "hex") },
    accessKeyId: config.accessKeyId,
    secretAccessKey: secrets[0] ?? "",
    service: "s3",
    region: config.region,
  }).sign();
  return sendTo(url, {
    method,
    body: bytes,
    headers: Object.fromEntries(signed.headers),
    answerMs: ANSWER_MS,
    maxAnswerBytes: MAX_OBJECT_BYTES,
    ...{ signal, onStep },
  });
}

function lockHeaders({ lock }: NewObject): Record<string, string> {
  if (!lock) return {};
  return {
    "x-amz-object-lock-mode": lock.mode.toUpperCase(),
    "x-amz-object-lock-retain-until-date": lock.until.toISOString(),
  };
}

/** Writes an object; the store compares the checksum with the received bytes. */
export function putObject(target: Target<Store>, object: NewObject): Promise<Answer | NoAnswer> {
  const { key, body, type, encoding, metadata = {}, isOnce } = object;
  const kept = Object.entries(metadata).map(([name, value]) => [`x-amz-meta-${name}`, value]);
  const headers = {
    "Content-Type": type,
    ...(encoding && { "Content-Encoding": encoding }),
    ...(isOnce && { "If-None-Match": "*" }),
    "x-amz-checksum-sha256": digestOf(body, "base64"),
    ...Object.fromEntries(kept),
    ...lockHeaders(object),
  };
  return request(target, { method: "PUT", key, headers, body });
}

export const headObject = (target: Target<Store>, key: string): Promise<Answer | NoAnswer> =>
  request(target, { method: "HEAD", key, headers: { "x-amz-checksum-mode": "ENABLED" } });

export const getObject = (target: Target<Store>, key: string): Promise<Answer | NoAnswer> =>
  request(target, { method: "GET", key });

/** Outcome of a store's answer: a refused request is never caused by one entry. */
export function outcomeOfStore(answer: Answer | NoAnswer, now: Date): Outcome {
  const outcome = outcomeOf(answer, now);
  if (answer.status === 409) return { kind: "again", code: "409", message: "Another request writes the same object." };
  if (outcome.kind !== "too_large" && outcome.kind !== "disabled") return outcome;
  return { kind: "blocked", code: outcome.code, message: outcome.message };
}

type Header = string | string[] | undefined;
const first = (value: Header): string | null => (Array.isArray(value) ? value[0] : value) ?? null;

/** Store's metadata of an object. */
export function storedAs({ headers }: Answer) {
  return {
    etag: first(headers.etag),
    version: first(headers["x-amz-version-id"]),
    checksum: first(headers["x-amz-checksum-sha256"]),
    digest: first(headers["x-amz-meta-trailmark-digest"]),
    lockMode: first(headers["x-amz-object-lock-mode"]),
    lockUntil: first(headers["x-amz-object-lock-retain-until-date"]),
  };
}
