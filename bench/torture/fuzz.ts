import { randomUUID } from "node:crypto";
import fc from "fast-check";
import { inParallel } from "@/bench/harness";
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
import { answersAt, behind } from "./broken";
import { withServer } from "./folder";
import type { Line } from "./line";

/** F1: requests generated from the server's own OpenAPI document, over the wire. */

const AT_ONCE = 4;
type Described = ReturnType<typeof describedOperations>[number];
type Attempt = { described: Described; sent: FuzzRequest };

/** Signing out would end the run; its own test signs in again each time. */
const SPARED = new Set(["/auth/logout"]);

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

function hintsOf({ orgId, agentId }: Credentials): Hints {
  return {
    ids: [orgId, orgId, randomUUID()],
    params: (path, name) => {
      if (name !== "id") return [];
      if (path.startsWith("/agents/")) return [agentId];
      return path.startsWith("/orgs/") ? [orgId] : [];
    },
  };
}

/** A request to each of the operations. */
const attemptsOf = (operations: Described[], hints: Hints, seed?: number): Attempt[] =>
  operations.flatMap((described) =>
    fc.sample(requestsFor(described, hints), { numRuns: 1, ...(seed !== undefined && { seed }) }).map((sent) => ({
      described,
      sent,
    })),
  );

/** Faults found on a broken route. @returns numbers of detections and requests */
async function control(broken: Server, operations: Described[], credentials: Credentials): Promise<[number, number]> {
  const failing = operations.filter(({ path, method }) => path.startsWith("/devices") && method === "GET");
  const attempts = attemptsOf(failing, { ids: [credentials.orgId], params: () => [] });
  const faults = await Promise.all(attempts.map((attempt) => send(broken, attempt, credentials)));
  return [faults.filter(Boolean).length, attempts.length];
}

export const generatedRequests: Line = {
  id: "F1",
  title: "requests generated from the OpenAPI document, with random faults",
  ...{ quick: 2, full: 850 },
  run: ({ rounds, random, minutes, isFull }, found) =>
    withServer(async (server) => {
      let credentials = await prepare(server);
      const document: ApiDocument = await (await fetch(`${server.base}/api/v1/openapi.json`)).json();
      const operations = describedOperations(document).filter(({ path }) => !SPARED.has(path));
      found.note(`${operations.length} operations`);
      const until = Date.now() + minutes * 60_000;
      for (let round = 0; round < rounds && Date.now() < until; round++) {
        // Regularly a new organization, because earlier requests change things and access tokens live for minutes.
        if (round % 10 === 9) credentials = await prepare(server);
        const attempts = attemptsOf(operations, hintsOf(credentials), Math.floor(random() * 0x7fffffff));
        await inParallel(AT_ONCE, attempts, async (attempt) => {
          const once = () => send(server, attempt, credentials);
          const asked = isFull ? once() : withRetries(once, withoutPlace);
          const fault = await asked.catch((e: Error) => `${attempt.described.path}: ${e.message} ${e.cause}`);
          // Durations vary, but do not make a separate kind.
          found.check(!fault, `${fault?.replace(TOO_LONG, "an answer took too long").slice(0, 150)}`);
        });
      }
      const [seen, asked] = await behind(server, answersAt(/^\/api\/v1\/devices/, 500, {}), (broken) =>
        control(broken, operations, credentials),
      );
      found.control("a route that answers 500", seen, asked);
    }),
};
