import { type IncomingHttpHeaders, request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import type { Socket } from "node:net";
import { type Allowed, allowed, guardedLookup, RefusedAddress, requireAllowed } from "./address";

/** How long an endpoint may take to answer. */
const ANSWER_MS = 10_000;
/** How much of an answer is read, so that the connection ends in order. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** The outcome of a POST: the answer's status, or why there is none. */
export type Posted = { status: number | null; error: string | null };

type Message = { body: string | Uint8Array; headers: Record<string, string> };
/** Hears when the name was looked up, the connection made and the certificate accepted. */
export type OnStep = (step: "address" | "connect" | "tls") => void;

export function followSteps(socket: Socket, onStep: OnStep): void {
  socket.once("lookup", () => onStep("address"));
  socket.once("connect", () => onStep("connect"));
  socket.once("secureConnect", () => onStep("tls"));
}

/** signal: the sender gives up. maxAnswerBytes: how much of an answer is kept. */
type Request = Message & {
  method?: "GET" | "HEAD" | "POST" | "PUT";
  answerMs?: number | undefined;
  signal?: AbortSignal;
  onStep?: OnStep | undefined;
  maxAnswerBytes?: number;
};

/** An answer with its body as far as it was read, as text and as bytes; or a code and a sentence for why there is none. */
type Answer = { status: number; headers: IncomingHttpHeaders; body: string; bytes: Buffer };
type NoAnswer = { status: null; code: string; error: string };

const REASONS: Record<string, string> = {
  ENOTFOUND: "The name was not found.",
  EAI_AGAIN: "The name could not be looked up.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was cut.",
  ETIMEDOUT: "No connection was possible in time.",
  EHOSTUNREACH: "The address cannot be reached.",
  ENETUNREACH: "The address cannot be reached.",
};

/** Failures that only a person can mend: an address that is refused, a name without a certificate for it. */
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

/** The meaning of an answer other than 2xx. */
export const refusalOf = (status: number): string =>
  `The endpoint answered ${status}${status >= 300 && status < 400 ? "; redirects are not followed" : ""}.`;

/**
 * Sends a request to an address that a user entered: only to where the operator allows, without following redirects, and
 * with a limit on time and on what is read. Never rejects.
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

/** POSTs JSON likewise, for whom the status alone counts. Never rejects. */
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
