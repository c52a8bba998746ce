import { randomUUID } from "node:crypto";
import fc from "fast-check";
import {
  type ApiDocument,
  describedOperations,
  type FuzzRequest,
  faultOf,
  type Hints,
  requestsFor,
  withRetries,
} from "@/testing/api/fuzz";
import type { Server } from "@/testing/server";
import { type Credentials, prepare } from "./api";
import { answersAt, withFault } from "./broken";
import { withServer } from "./folder";
import type { Line } from "./types";

/** F1: requests generated from the server's own OpenAPI document, over the wire. */

const AT_ONCE = 4;
type Described = ReturnType<typeof describedOperations>[number];
type Attempt = { described: Described; sent: FuzzRequest };

/** Signing out would end the run; its own test signs in again each time. */
const SPARED = new Set(["/auth/logout"]);

const FULL_ROUNDS = 10;
const TOO_LONG = /^.*: took \d+ ms$/;
const withoutPlace = (fault: string | null) => fault?.replace(/^\S+ \S+: /, "") ?? null;

function tokenFor({ operation }: Described, { accessToken, agentToken }: Credentials): string | null {
  const [security] = operation.security;
  if (!security) return null;
  return security.agentToken ? agentToken : accessToken;
}

const plain = (text: string) => encodeURIComponent(text.replace(/[\ud800-\udfff]/gu, "\ufffd")).slice(0, 4000) || "%20";

async function send(
  { base }: Pick<Server, "base">,
  { described, sent }: Attempt,
  credentials: Credentials,
): Promise<string | null> {
  const token = tokenFor(described, credentials);
  const path = described.path.replace(/\{(\w+)\}/g, (_, name: string) => plain(sent.params[name] ?? ""));
  const started = performance.now();
  const answer = await fetch(`${base}/api/v1${path}${sent.query ? `?${sent.query}` : ""}`, {
    method: described.method,
    headers: { ...sent.headers, ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(sent.body === null ? {} : { body: sent.body as BodyInit }),
    redirect: "manual",
  });
  const contentType = answer.headers.get("content-type") ?? "";
  const endless = contentType.includes("event-stream");
  if (endless) await answer.body?.cancel();
  const text = endless ? "" : await answer.text();
  const fault = faultOf(described, { status: answer.status, contentType, text, ms: performance.now() - started });
  return fault && `${described.method} ${described.path}: ${fault}`;
}

export const fuzzLine: Line = {
  id: "F1",
  title: "requests generated from the OpenAPI document, with random faults",
  run: ({ rounds, random, minutes }) =>
    withServer(async (server) => {
      let credentials = await prepare(server);
      const document: ApiDocument = await (await fetch(`${server.base}/api/v1/openapi.json`)).json();
      const operations = describedOperations(document).filter(({ path }) => !SPARED.has(path));
      const faults = new Map<string, number>();
      let tried = 0;
      const until = Date.now() + minutes * 60_000;
      for (let round = 0; round < rounds && Date.now() < until; round++) {
        // Regularly a new organization, because earlier requests change things and access tokens live for minutes.
        if (round % 10 === 9) credentials = await prepare(server);
        const hints: Hints = {
          ids: [credentials.orgId, credentials.orgId, randomUUID()],
          params: (path, name) => {
            if (name !== "id") return [];
            if (path.startsWith("/agents/")) return [credentials.agentId];
            return path.startsWith("/orgs/") ? [credentials.orgId] : [];
          },
        };
        const seed = Math.floor(random() * 0x7fffffff);
        const queue = operations.flatMap((described) =>
          fc.sample(requestsFor(described, hints), { numRuns: 1, seed }).map((sent) => ({ described, sent })),
        );
        const work = async () => {
          for (let next = queue.pop(); next; next = queue.pop()) {
            const attempt = next;
            const { path } = attempt.described;
            const once = () => send(server, attempt, credentials);
            // A full run has the machine to itself.
            const asked = rounds >= FULL_ROUNDS ? once() : withRetries(once, withoutPlace);
            const fault = await asked.catch((e: Error) => `${path}: ${e.message} ${e.cause}`);
            tried++;
            // Durations vary, but do not make a separate kind.
            const kind = fault?.replace(TOO_LONG, "an answer took too long").slice(0, 150);
            if (kind) faults.set(kind, (faults.get(kind) ?? 0) + 1);
          }
        };
        await Promise.all(Array.from({ length: AT_ONCE }, work));
      }
      const failed = [...faults.values()].reduce((a, b) => a + b, 0);
      const kinds = [...faults].slice(0, 10).map(([what, times]) => `${times} x ${what}`);
      const [found, asked] = await withFault(answersAt(/^\/api\/v1\/devices/, 500, {}))(server, (broken) =>
        control(broken, operations, credentials),
      );
      if (found < asked) kinds.push(`of ${asked} answers that nobody documented ${found} were found`);
      const said = `${operations.length} operations; control, a route that answers 500: found ${found} of ${asked}`;
      return { tried, failed: failed + (asked === 0 ? 1 : asked - found), detail: [said, ...kinds].join("; ") };
    }),
};

/** Faults found on a broken route. @returns numbers of detections and requests */
async function control(broken: Server, operations: Described[], credentials: Credentials): Promise<[number, number]> {
  const failing = operations.filter(({ path, method }) => path.startsWith("/devices") && method === "GET");
  const hints: Hints = { ids: [credentials.orgId], params: () => [] };
  const asked = failing.flatMap((described) =>
    fc.sample(requestsFor(described, hints), 1).map((sent) => ({ described, sent })),
  );
  let found = 0;
  for (const one of asked) if (await send(broken, one, credentials)) found++;
  return [found, asked.length];
}
