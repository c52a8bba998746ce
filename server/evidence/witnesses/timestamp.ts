import { randomBytes } from "node:crypto";
import { noteTools } from "@/server/evidence/tree/note-tools";
import { env } from "@/server/ground/env";
import { log } from "@/server/ground/log";

/**
 * Time-stamps of an authority (RFC 3161) over the signed text of a checkpoint. The reply is stored unchanged; the
 * verifiers on the command line check it (--tsa).
 */

/** TimeStampReq up to the digest: version 1, SHA-256; the nonce and the request for the certificate follow. */
const QUERY_HEAD = Buffer.from("30430201013031300d060960864801650304020105000420", "hex");
const NONCE_HEAD = Buffer.from("0208", "hex");
const QUERY_TAIL = Buffer.from("0101ff", "hex");
const NONCE_BYTES = 8;

const TIMEOUT_MS = 5_000;
/** An authority that timed out or refused is skipped for this long, so that it delays only one checkpoint. */
const RETRY_AFTER_MS = 60_000;
/** A reply with certificates is some kilobytes. */
const MAX_REPLY_BYTES = 64 * 1024;

const SEQUENCE = 0x30;
const INTEGER = 0x02;
/** PKIStatus granted and grantedWithMods. */
const GRANTED = [0, 1];

/** Eight bytes that DER encodes as an eight-byte integer: the first is 40 … 7f. */
export function newNonce(): Buffer {
  const nonce = randomBytes(NONCE_BYTES);
  nonce[0] = ((nonce[0] ?? 0) & 0x3f) | 0x40;
  return nonce;
}

/** The 69 bytes of a request. */
export const timestampQuery = (digest: Uint8Array, nonce: Uint8Array): Buffer =>
  Buffer.concat([QUERY_HEAD, digest, NONCE_HEAD, nonce, QUERY_TAIL]);

/** Offset of the contents of a DER sequence; -1 if there is none here. */
function contentsAt(bytes: Buffer, at: number): number {
  const length = bytes[at + 1];
  if (bytes[at] !== SEQUENCE || length === undefined) return -1;
  return length < 0x80 ? at + 2 : at + 2 + (length & 0x7f);
}

/** True if a reply grants a time-stamp over this digest and answers this request. */
export function isTimestampReply(reply: Buffer, digest: Uint8Array, nonce: Uint8Array): boolean {
  const info = contentsAt(reply, 0);
  const status = info < 0 ? -1 : contentsAt(reply, info);
  if (status < 0 || reply[status] !== INTEGER || reply[status + 1] !== 1) return false;
  if (!GRANTED.includes(reply[status + 2] ?? -1)) return false;
  return reply.includes(Buffer.from(digest)) && reply.includes(Buffer.concat([NONCE_HEAD, nonce]));
}

async function readReply(response: Response): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > MAX_REPLY_BYTES) throw new Error("its reply is too long");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

async function ask(url: string, text: string): Promise<Buffer> {
  const digest = noteTools.sha256(Buffer.from(text));
  const nonce = newNonce();
  const response = await fetch(url, {
    method: "POST",
    headers: { "Content-Type": "application/timestamp-query", Accept: "application/timestamp-reply" },
    body: new Uint8Array(timestampQuery(digest, nonce)),
    signal: AbortSignal.timeout(TIMEOUT_MS),
    redirect: "manual",
  });
  if (!response.ok) throw new Error(`it answered ${response.status}`);
  const reply = await readReply(response);
  if (!isTimestampReply(reply, digest, nonce)) throw new Error("its reply grants no time-stamp over this checkpoint");
  return reply;
}

let retryAt = 0;

/**
 * Time-stamp of TRAILMARK_TSA_URL over a text, as the authority's whole reply (`openssl ts -verify -data TEXT -in …`).
 * Never rejects; takes at most 5 s, once a minute.
 * @param text the signed text of a checkpoint, without its signatures
 * @returns null if no authority is configured, it is down, or it does not grant one
 */
export async function timestampOf(
  text: string,
  url: string | null = env().TRAILMARK_TSA_URL ?? null,
): Promise<Buffer | null> {
  if (!url || Date.now() < retryAt) return null;
  try {
    return await ask(url, text);
  } catch (error) {
    retryAt = Date.now() + RETRY_AFTER_MS;
    log.warn({ err: error, authority: new URL(url).host }, "no time-stamp was granted");
    return null;
  }
}
