import { connect, isIP, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { connect as connectTls } from "node:tls";
import { z } from "zod";
import type { CheckStep } from "@/server/notify/streams/schema";
import {
  type Allowed,
  allowed,
  guardedLookup,
  RefusedAddress,
  refusalBy,
  requireAllowedHost,
} from "@/server/notify/webhooks/address";
import { failureOf, followSteps } from "@/server/notify/webhooks/post";
import type { Failure, Target } from "./destination";
import { failedAt, outcomeOfNone, stepsBefore } from "./http";

/** Shared by socket destinations: a connection through the same guard, and the meaning of its failures. */

/** Time for a receiver without session tickets to refuse our certificate. */
const ACCEPT_MS = 250;
/** Time limit for connecting, and for silence of a receiver. */
const SILENCE_MS = 10_000;
/** Ports of syslog and RELP: 514, 601 (RFC 3195) and, above the system ports, 2514 and 6514. */
const OWN_PORTS = [514, 601];

const pem = (label: string) =>
  z
    .string()
    .max(65_536)
    .regex(new RegExp(`^\\s*-----BEGIN ${label}-----`), `must be PEM and begin with -----BEGIN ${label}-----`);

const hostName = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[a-z0-9]([a-z0-9.:-]{0,251}[a-z0-9])?$/, "must be a host name or an address");

/** Settings of a receiver over TLS, with optional CA and client certificate. */
export const tlsShape = {
  host: hostName,
  port: z.int().min(1).max(65_535),
  ca: pem("CERTIFICATE").optional(),
  certificate: pem("CERTIFICATE").optional(),
};

/** Private key of the client certificate. */
export const keySecret = {
  label: "Private key of the client's certificate (PEM)",
  schema: z
    .string()
    .max(16_384)
    .regex(/^\s*-----BEGIN [A-Z ]*PRIVATE KEY-----/, "must be a private key in PEM"),
  isOptional: true as const,
};

/** tls: by default on. */
type Endpoint = {
  host: string;
  port: number;
  tls?: boolean;
  ca?: string | undefined;
  certificate?: string | undefined;
};

/** Reason that a host is not allowed, for a schema's refinement. */
export const hostFault = (endpoint: Endpoint): string | null => refusalBy((may) => requireReachable(endpoint, may));

function requireReachable({ host, port, tls = true }: Endpoint, may: Allowed): void {
  if (!tls && !may.http) throw new RefusedAddress("must use TLS");
  requireAllowedHost({ host, port, own: OWN_PORTS }, may);
}

/** Closes a connection when the sender gives up. */
function endBy(socket: Socket, signal: AbortSignal): void {
  const end = () => socket.destroy(signal.reason instanceof Error ? signal.reason : undefined);
  if (signal.aborted) end();
  signal.addEventListener("abort", end, { once: true });
  socket.once("close", () => signal.removeEventListener("abort", end));
}

/** Connects to an allowed address. @throws RefusedAddress, or the connection's error */
export async function connectTo({ config, secrets, signal, onStep }: Target<Endpoint>): Promise<Socket> {
  const { host, port, tls = true, ca, certificate: cert } = config;
  const may = allowed();
  requireReachable(config, may);
  const lookup = guardedLookup(may);
  const key = cert ? secrets[0] : undefined;
  const socket = tls
    ? connectTls({
        host,
        port,
        lookup,
        ...(isIP(host) === 0 && { servername: host }),
        ...(ca && { ca }),
        ...(cert && key && { cert, key }),
      })
    : connect({ host, port, lookup });
  endBy(socket, signal);
  if (onStep) followSteps(socket, onStep);
  socket.setTimeout(SILENCE_MS, () => socket.destroy(new DOMException("silent", "TimeoutError")));
  // In TLS 1.3 a server checks our certificate after the handshake; its session ticket means acceptance.
  const ticket = new Promise<void>((resolve) => socket.once("session", () => resolve()));
  await new Promise<void>((resolve, reject) => {
    socket.once(tls ? "secureConnect" : "connect", resolve);
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the receiver cut the connection")));
  });
  if (tls) await untilAccepted(socket, ticket);
  return socket;
}

/** Gives a server without tickets a moment to refuse. @throws Error where it did */
async function untilAccepted(socket: Socket, ticket: Promise<void>): Promise<void> {
  const over = new AbortController();
  const refused = new Promise<never>((_, reject) => {
    socket.once("error", reject);
    socket.once("close", () => reject(new Error("the receiver cut the connection")));
  });
  try {
    await Promise.race([ticket, refused, sleep(ACCEPT_MS, undefined, { signal: over.signal }).catch(() => {})]);
  } finally {
    refused.catch(() => {});
    over.abort();
  }
}

/** Outcome of a failed connection. */
export function outcomeOfFailure(error: unknown): Failure {
  const isOfCertificate = error instanceof Error && "code" in error && /^ERR_(OSSL|TLS|SSL)/.test(String(error.code));
  if (isOfCertificate) return { kind: "blocked", code: "tls", message: `TLS failed: ${error.message.trim()}` };
  return outcomeOfNone(failureOf(error, SILENCE_MS));
}

/** Steps of a check that runs `attempt` over a connection. */
export async function checkBy(
  target: Target<Endpoint>,
  attempt: (socket: Socket) => Promise<CheckStep[]>,
): Promise<CheckStep[]> {
  let passed: CheckStep[] = [];
  try {
    const socket = await connectTo(target);
    passed = stepsBefore("sign_in", target.config.tls !== false);
    return [...passed, ...(await attempt(socket))];
  } catch (error) {
    const { code, message } = outcomeOfFailure(error);
    return [...passed, { step: passed.length > 0 ? "write" : failedAt(code), ok: false, message }];
  }
}
