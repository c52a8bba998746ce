import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { ADMIN, type Server } from "@/testing/server";

/** Requests to the server's API. */

type Sent = { method?: string; token?: string | null; body?: object; signal?: AbortSignal };
export type At = Pick<Server, "base">;

/** One request to a path of the API, or to one that begins with /api itself; any answer. */
export const ask = ({ base }: At, path: string, { token, body, signal, method = body ? "POST" : "GET" }: Sent = {}) =>
  fetch(`${base}${path.startsWith("/api/") ? "" : "/api/v1"}${path}`, {
    method,
    headers: { "Content-Type": "application/json", ...(token ? { Authorization: `Bearer ${token}` } : {}) },
    ...(body && { body: JSON.stringify(body) }),
    ...(signal && { signal }),
  });

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

/** A request that has to be answered well. @throws Error with what was answered instead */
export async function answered(at: At, path: string, sent: Sent = {}): Promise<Response> {
  const response = await answerOf(() => ask(at, path, sent));
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return response;
}

export const json = async <T>(at: At, path: string, sent: Sent = {}): Promise<T> =>
  (await answered(at, path, sent)).json();

/** A person's access token, the administrator's by default; it lives for minutes only. */
export async function signIn(at: At, { email, password } = ADMIN): Promise<string> {
  return (await json<{ accessToken: string }>(at, "/auth/token", { body: { email, password } })).accessToken;
}

/** The same for a request by the administrator. */
export const byAdmin = async <T>(at: At, path: string, sent: Sent = {}): Promise<T> =>
  json<T>(at, path, { ...sent, token: await signIn(at) });

export type Credentials = { key: string; orgId: string; agentId: string; agentToken: string; accessToken: string };

/** An API key of an organization. */
export const createKey = async (
  at: At,
  { accessToken, orgId }: Pick<Credentials, "accessToken" | "orgId">,
  permissions: string[],
) =>
  (await json<{ key: string }>(at, "/api-keys", { token: accessToken, body: { name: "torture", orgId, permissions } }))
    .key;

/** An enrollment key of an organization. */
export const createEnrollmentKey = async (
  at: At,
  { accessToken: token, orgId }: Pick<Credentials, "accessToken" | "orgId">,
) => (await json<{ key: string }>(at, "/enrollment-keys", { token, body: { orgId } })).key;

export type Enrolled = { agentId: string; deviceId: string; token: string };
export const enroll = (at: At, enrollmentKey: string, hostname: string): Promise<Enrolled> =>
  json(at, "/agents/enroll", { body: { enrollmentKey, hostname, os: "linux", agentId: randomUUID() } });

/** An organization, a key for its audit log, and an enrolled agent. */
export async function prepare(at: At): Promise<Credentials> {
  const accessToken = await signIn(at);
  const body = { name: `Torture ${randomUUID().slice(0, 8)}` };
  const { id: orgId } = await json<{ id: string }>(at, "/orgs/organizations", { token: accessToken, body });
  const owner = { accessToken, orgId };
  const { agentId, token } = await enroll(at, await createEnrollmentKey(at, owner), "TORTURE-1");
  return { ...owner, key: await createKey(at, owner, ["audit:write"]), agentId, agentToken: token };
}

/** An event of an organization's log, whose id is in its details as well, where `compare` looks for it. */
export function createEvent(over: { timestamp?: string; details?: object } = {}) {
  const id = randomUUID();
  return {
    ...{ id, actorType: "system", actorId: "torture", action: "device.update", result: "success" },
    ...{ resourceType: "device", resourceName: "T", ...over, details: { id, ...over.details } },
  };
}

export const createEvents = (count: number, details: object = {}) =>
  Array.from({ length: count }, () => createEvent({ details }));

/** Hands events in; any answer. */
export const postEvents = (at: At, { key }: Pick<Credentials, "key">, events: object[]): Promise<Response> =>
  ask(at, "/audit-logs/events", { token: key, body: { events }, signal: AbortSignal.timeout(15_000) });

const EVENTS_PER_POST = 500;
type Filling = { count: number; details?: object };

/** Hands in as many as asked for, and waits for no more than that they are accepted. */
export async function submit(at: At, { key }: Pick<Credentials, "key">, { count, details }: Filling): Promise<void> {
  for (let left = count; left > 0; left -= EVENTS_PER_POST) {
    const events = createEvents(Math.min(EVENTS_PER_POST, left), details);
    await answered(at, "/audit-logs/events", { token: key, body: { events } });
  }
}

type Verdict = { status: string; rowsChecked: number };
type Range = { token?: string; from?: string; to?: string };

/** The server's verdict on an organization's log; its refusal where it gives none. */
export async function verdictOn(at: At, orgId: string, { token, ...range }: Range = {}): Promise<Verdict> {
  const path = `/audit-logs/integrity?${new URLSearchParams({ orgId, ...range })}`;
  const answer = await ask(at, path, { token: token ?? (await signIn(at)) });
  const { status, code, rowsChecked = 0 } = await answer.json();
  return { status: status ?? `${code}`, rowsChecked };
}
