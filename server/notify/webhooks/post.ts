import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { type Allowed, allowed, guardedLookup, RefusedAddress, requireAllowed } from "./address";

const ANSWER_MS = 10_000;
/** Bytes read of an answer, so that the connection ends cleanly. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** Result of a POST: the answer's status, or the failure. */
export type Posted = { status: number | null; error: string | null };

type Message = { body: string | Uint8Array; headers: Record<string, string> };
/** Called when the name is resolved, the connection made and the certificate accepted. */
export type OnStep = (step: "address" | "connect" | "tls") => void;

export function followSteps(socket: Socket, onStep: OnStep): void {
  socket.once("lookup", () => onStep("address"));
  socket.once("connect", () => onStep("connect"));
  socket.once("secureConnect", () => onStep("tls"));
}

/** signal: the sender gives up. maxAnswerBytes: bytes of the answer to keep. */
type Request = Message & {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  answerMs?: number | undefined;
  signal?: AbortSignal;
  onStep?: OnStep | undefined;
  maxAnswerBytes?: number;
};

/** An answer with the part of its body that was read, as text and bytes; or an error code and sentence. */
export type Answer = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer };
export type NoAnswer = { status: null; code: string; error: string };

const REASONS: Record<string, string> = {
  ENOTFOUND: "The name was not found.",
  EAI_AGAIN: "The name could not be looked up.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was cut.",
  ETIMEDOUT: "No connection was possible in time.",
  EHOSTUNREACH: "The address cannot be reached.",
  ENETUNREACH: "The address cannot be reached.",
};

/** Failures that need a person: a refused address, or a name that does not match its certificate. */
export const REFUSED = "refused_address";
export const UNTRUSTED = "untrusted_certificate";

/** Why there is no answer, or no connection. */
export function failureOf(error: unknown, answerMs = ANSWER_MS): NoAnswer {
  const failed = (code: string, text: string): NoAnswer => ({ status: null, code, error: text });
  if (error instanceof RefusedAddress) return failed(REFUSED, `The address ${error.message}.`);
  if (!(error instanceof Error)) return failed("failed", "The request failed.");
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return failed("timeout", `No answer within ${answerMs / 1000} seconds.`);
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code))
    return failed(UNTRUSTED, `The certificate is not trusted (${code}).`);
  return failed(code || "failed", REASONS[code] ?? `The request failed${code ? ` (${code})` : ""}.`);
}

/** Meaning of an answer other than 2xx. */
export const refusalOf = (status: number): string =>
  `The endpoint answered ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}.`;

/**
 * Sends a request to a user's address: only where the operator allows, without following redirects, with limits on time
 * and size. Never rejects.
 */
export async function sendTo(address: string, request: Request, may: Allowed = allowed()): Promise<Answer | NoAnswer> {
  const { answerMs = ANSWER_MS, signal } = request;
  try {
    const url = new URL(address);
    requireAllowed(url, may);
    const timeout = AbortSignal.timeout(answerMs);
    return await exchange(url, { ...request, signal: signal ? AbortSignal.any([signal, timeout]) : timeout }, may);
  } catch (error) {
    return failureOf(error, answerMs);
  }
}

/** POSTs JSON for callers that only need the status. Never rejects. */
export async function postTo(
  address: string,
  message: Message & { answerMs?: number | undefined },
  may: Allowed = allowed(),
): Promise<Posted> {
  const headers = { "Content-Type": "application/json", ...message.headers };
  const answer = await sendTo(address, { ...message, headers }, may);
  if (answer.status === null) return { status: null, error: answer.error };
  const { status } = answer;
  return { status, error: status >= 200 && status < 300 ? null : refusalOf(status) };
}

type Outgoing = Request & { signal: AbortSignal };

function exchange(
  url: URL,
  { body, headers, signal, method = "POST", maxAnswerBytes, onStep }: Outgoing,
  may: Allowed,
) {
  return new Promise<Answer>((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const outgoing = send(
      url,
      {
        method,
        agent: false,
        lookup: guardedLookup(may),
        signal,
        headers: { "Content-Length": Buffer.byteLength(body), "User-Agent": "Trailmark", ...headers },
      },
      (incoming) => {
        const max = maxAnswerBytes ?? MAX_ANSWER_BYTES;
        const chunks: Buffer[] = [];
        let read = 0;
        const answer = () => {
          const bytes = Buffer.concat(chunks).subarray(0, max);
          resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, body: bytes.toString("utf8"), bytes });
        };
        incoming.on("data", (chunk: Buffer) => {
          chunks.push(chunk);
          read += chunk.length;
          if (read <= max) return;
          incoming.destroy();
          answer();
        });
        incoming.on("end", answer);
        incoming.on("error", reject);
      },
    );
    if (onStep) outgoing.once("socket", (socket) => followSteps(socket, onStep));
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
