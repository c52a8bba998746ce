import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN } from "@/testing/server";

export type Acknowledged = {
  events: Set<string>;
  deviceEvents: Set<string>;
  logs: Set<string>;
  refused: number;
  answers: Map<number, number>;
  /** Called for each finished request: its writer, and its status or error. */
  onAnswer?: (writer: number, outcome: number | string) => void;
};

export const nothingYet = (): Acknowledged => ({
  events: new Set(),
  deviceEvents: new Set(),
  logs: new Set(),
  refused: 0,
  answers: new Map(),
});

const FIRST_ANSWER_MS = 30_000;
const countOf = ({ events, deviceEvents, logs }: Acknowledged): number => events.size + deviceEvents.size + logs.size;

/** Waits for a time and an acknowledgement: a kill before the first one would prove nothing. */
export async function underLoad(acked: Acknowledged, ms: number): Promise<void> {
  const before = countOf(acked);
  const began = Date.now();
  await sleep(ms);
  while (countOf(acked) === before && Date.now() - began < FIRST_ANSWER_MS) await sleep(5);
}

export type Credentials = { key: string; orgId: string; agentId: string; agentToken: string; accessToken: string };

type Sent = { method: string; path: string; token: string | null; body?: unknown };

const TRIES = 5;

/** Retries on 503, as requested: a busy machine's database may be slow. */
export async function answerOf(send: () => Promise<Response>): Promise<Response> {
  for (let n = 1; ; n++) {
    const response = await send();
    if (response.status !== 503 || n === TRIES) return response;
    await response.body?.cancel();
    await sleep(1_000);
  }
}

/** A request that must succeed. @throws Error with the actual answer */
export async function json<T>(base: string, { method, path, token, body }: Sent): Promise<T> {
  const response = await answerOf(() =>
    fetch(`${base}/api/v1${path}`, {
      method,
      headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    }),
  );
  if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
  return await response.json();
}

const post = (path: string, token: string | null, body: unknown): Sent => ({ method: "POST", path, token, body });

/** Signs in again, because access tokens live for minutes. */
export async function signIn(base: string): Promise<string> {
  return (await json<{ accessToken: string }>(base, post("/auth/token", null, ADMIN))).accessToken;
}

/** An organization, a key for its audit log, and an enrolled agent. */
export async function prepare(base: string): Promise<Credentials> {
  const accessToken = await signIn(base);
  const create = <T>(path: string, body: object) => json<T>(base, post(path, accessToken, body));
  const name = `Torture ${randomUUID().slice(0, 8)}`;
  const { id: orgId } = await create<{ id: string }>("/orgs/organizations", { name });
  const writer = { name: "writer", orgId, permissions: ["audit:write"] };
  const { key } = await create<{ key: string }>("/api-keys", writer);
  const { key: enrollmentKey } = await create<{ key: string }>("/enrollment-keys", { orgId });
  const enrolment = { enrollmentKey, hostname: "TORTURE-1", os: "linux" };
  const agent = await json<{ agentId: string; token: string }>(base, post("/agents/enroll", null, enrolment));
  return { key, orgId, agentId: agent.agentId, agentToken: agent.token, accessToken };
}

const EVENTS_PER_POST = 5;
/** The first event of each post is late. */
const LATE_MS = 60 * 60_000;

function auditPost({ key }: Credentials, acked: Acknowledged) {
  const ids = Array.from({ length: EVENTS_PER_POST }, () => randomUUID());
  const events = ids.map((id, i) => ({
    id,
    ...(i === 0 && { timestamp: new Date(Date.now() - LATE_MS).toISOString() }),
    actorType: "system",
    actorId: "torture",
    action: "device.update",
    resourceType: "device",
    resourceName: "T",
    details: { id },
    result: "success",
  }));
  return {
    method: "POST",
    path: "/audit-logs/events",
    token: key,
    body: { events },
    done: () => {
      for (const id of ids) acked.events.add(id);
    },
  };
}

function devicePut({ agentId, agentToken }: Credentials, acked: Acknowledged) {
  const ids = Array.from({ length: EVENTS_PER_POST }, () => randomUUID());
  const events = ids.map((eventId) => ({
    timestamp: new Date().toISOString(),
    level: "info",
    category: "system",
    source: "torture",
    eventId,
    message: "m",
  }));
  return {
    method: "PUT",
    path: `/agents/${agentId}/eventlogs`,
    token: agentToken,
    body: { events },
    done: () => {
      for (const id of ids) acked.deviceEvents.add(id);
    },
  };
}

function logPost({ agentId, agentToken }: Credentials, acked: Acknowledged) {
  const ids = Array.from({ length: EVENTS_PER_POST }, () => randomUUID());
  const logs = ids.map((message) => ({
    timestamp: new Date().toISOString(),
    level: "info",
    component: "torture",
    message,
  }));
  return {
    method: "POST",
    path: `/agents/${agentId}/logs`,
    token: agentToken,
    body: { logs },
    done: () => {
      for (const id of ids) acked.logs.add(id);
    },
  };
}

const KINDS = [auditPost, devicePut, logPost];

/** Reason that fetch failed: the socket's error code, or the abort. */
function reasonOf(error: unknown): string {
  const { name, cause }: { name?: unknown; cause?: { code?: unknown } } = Object(error);
  return String(cause?.code ?? name);
}

type Load = { credentials: Credentials; acked: Acknowledged };

/** A writer: posts until stopped; counts only successes. */
async function writer(
  { base, credentials, acked, isStopped }: Load & { base: string; isStopped: () => boolean },
  at: number,
): Promise<void> {
  for (let i = at; !isStopped(); i++) {
    const kind = KINDS[i % KINDS.length] ?? auditPost;
    const request = kind(credentials, acked);
    try {
      const response = await fetch(`${base}/api/v1${request.path}`, {
        method: request.method,
        headers: { "Content-Type": "application/json", Authorization: `Bearer ${request.token}` },
        body: JSON.stringify(request.body),
        signal: AbortSignal.timeout(15_000),
      });
      acked.answers.set(response.status, (acked.answers.get(response.status) ?? 0) + 1);
      acked.onAnswer?.(at, response.status);
      if (response.ok) request.done();
      else {
        acked.refused++;
        await sleep(20);
      }
      await response.arrayBuffer();
    } catch (error) {
      acked.onAnswer?.(at, reasonOf(error));
      acked.refused++; // The server is gone, and never acknowledged this one.
      await sleep(20);
    }
  }
}

/** Starts writers. @returns a function that stops them and waits for their last requests */
export function startLoad(base: string, { credentials, acked }: Load, writers: number): () => Promise<void> {
  let stop = false;
  const isStopped = () => stop;
  const running = Array.from({ length: writers }, (_, i) => writer({ base, credentials, acked, isStopped }, i));
  return async () => {
    stop = true;
    await Promise.all(running);
  };
}
