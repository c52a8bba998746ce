import { request as requestHttp } from "node:http";
import { request as requestHttps } from "node:https";
import { type Allowed, allowed, guardedLookup, RefusedAddress, requireAllowed } from "./address";

/** How long an endpoint may take to answer, in ms. Tests of one that never does raise it: they are to be ahead of it. */
export const postTime = { answer: 10_000 };
/** How much of an answer is read, so that the connection ends in order; nothing of it is kept. */
const MAX_ANSWER_BYTES = 64 * 1024;

/** What became of a POST: the answer's status, or why there is none. */
export type Posted = { status: number | null; error: string | null };

const REASONS: Record<string, string> = {
  ENOTFOUND: "The name was not found.",
  EAI_AGAIN: "The name could not be looked up.",
  ECONNREFUSED: "The connection was refused.",
  ECONNRESET: "The connection was cut.",
  ETIMEDOUT: "No connection was possible in time.",
  EHOSTUNREACH: "The address cannot be reached.",
  ENETUNREACH: "The address cannot be reached.",
};

function reasonOf(error: unknown): string {
  if (error instanceof RefusedAddress) return `The address ${error.message}.`;
  if (!(error instanceof Error)) return "The request failed.";
  if (error.name === "AbortError" || error.name === "TimeoutError")
    return `No answer within ${postTime.answer / 1000} seconds.`;
  const code = "code" in error && typeof error.code === "string" ? error.code : "";
  if (/CERT|SELF_SIGNED|UNABLE_TO_VERIFY|ALTNAME/.test(code)) return `The certificate is not trusted (${code}).`;
  return REASONS[code] ?? `The request failed${code ? ` (${code})` : ""}.`;
}

function judge(status: number): Posted {
  if (status >= 200 && status < 300) return { status, error: null };
  const redirect = status >= 300 && status < 400 ? "; redirects are not followed" : "";
  return { status, error: `The endpoint answered ${status}${redirect}.` };
}

/**
 * POSTs JSON to an address that a user entered: only to where the operator allows, without following redirects, and
 * with a limit on time and on what is read. Never rejects.
 */
export async function postTo(
  address: string,
  { body, headers }: { body: string; headers: Record<string, string> },
  may: Allowed = allowed(),
): Promise<Posted> {
  try {
    const url = new URL(address);
    requireAllowed(url, may);
    return judge(await exchange(url, { body, headers }, may));
  } catch (error) {
    return { status: null, error: reasonOf(error) };
  }
}

function exchange(url: URL, { body, headers }: { body: string; headers: Record<string, string> }, may: Allowed) {
  return new Promise<number>((resolve, reject) => {
    const send = url.protocol === "https:" ? requestHttps : requestHttp;
    const length = Buffer.byteLength(body);
    const outgoing = send(
      url,
      {
        method: "POST",
        agent: false,
        lookup: guardedLookup(may),
        signal: AbortSignal.timeout(postTime.answer),
        headers: {
          "Content-Type": "application/json",
          "Content-Length": length,
          "User-Agent": "Trailmark",
          ...headers,
        },
      },
      (incoming) => {
        const status = incoming.statusCode ?? 0;
        let read = 0;
        incoming.on("data", (chunk: Buffer) => {
          read += chunk.length;
          if (read <= MAX_ANSWER_BYTES) return;
          incoming.destroy();
          resolve(status);
        });
        incoming.on("end", () => resolve(status));
        incoming.on("error", reject);
      },
    );
    outgoing.on("error", reject);
    outgoing.end(body);
  });
}
