import { setTimeout as sleep } from "node:timers/promises";
import { type APIRequestContext, type APIResponse, expect } from "playwright/test";
import { ADMIN } from "@/testing/server";

type Json = Record<string, unknown>;
export type Person = { email: string; password: string };

const MAX_TRIES = 5;
/** Events in one request. */
const AT_ONCE = 500;

/** Sends again where the caller is asked to come again. */
async function answered(send: () => Promise<APIResponse>, what: string): Promise<APIResponse> {
  let answer = await send();
  for (let tries = 0; tries < MAX_TRIES && [429, 503].includes(answer.status()); tries++) {
    await sleep(1_000 * Number(answer.headers()["retry-after"] ?? 1));
    answer = await send();
  }
  expect(answer.ok(), `${what}: ${answer.status()} ${await answer.text()}`).toBe(true);
  return answer;
}

/** Events with ids: those that were taken though the caller was told to send them again are not stored twice. */
const named = (data: Json): Json =>
  Array.isArray(data.events)
    ? { ...data, events: data.events.map((event: Json) => ({ id: crypto.randomUUID(), ...event })) }
    : data;

let own: Promise<Person> | undefined;

/**
 * A partner administrator of this worker's own: a person's share of the server's time and of its live views is not taken
 * by the pages of other workers.
 */
export const workerAdmin = (request: APIRequestContext): Promise<Person> => {
  own ??= createAdmin(request).catch((error: unknown) => {
    own = undefined;
    throw error;
  });
  return own;
};

async function createAdmin(request: APIRequestContext): Promise<Person> {
  const run = crypto.randomUUID().slice(0, 8);
  const person = { email: `admin-${run}@trailmark.example`, password: "correct horse battery" };
  const first = await Api.signIn(request, ADMIN);
  await first.call("POST", "/users", { ...person, name: `Admin ${run}`, role: "partner_admin" });
  return person;
}

/** The REST API as the worker's administrator, for arranging what a page is to show. */
export class Api {
  private constructor(
    private readonly request: APIRequestContext,
    private readonly token: string,
  ) {}

  static async signIn(request: APIRequestContext, who?: Person): Promise<Api> {
    const { email, password } = who ?? (await workerAdmin(request));
    const send = () => request.post("/api/v1/auth/token", { data: { email, password } });
    const answer = await answered(send, "signing in");
    const { accessToken }: { accessToken: string } = await answer.json();
    return new Api(request, accessToken);
  }

  /** The API as who has this token or key. */
  as(token: string): Api {
    return new Api(this.request, token);
  }

  /** @returns the answer's body, of the shape that the caller knows it to have. */
  async call<Body = Json>(method: "GET" | "POST" | "PUT" | "PATCH", path: string, data?: Json): Promise<Body> {
    const headers = { Authorization: `Bearer ${this.token}` };
    const sent = data && named(data);
    const send = () => this.request.fetch(`/api/v1${path}`, { method, headers, ...(sent && { data: sent }) });
    return (await answered(send, `${method} ${path}`)).json();
  }

  async makeOrganization(name: string): Promise<string> {
    return (await this.call<{ id: string }>("POST", "/orgs/organizations", { name })).id;
  }

  /** An organization with an audit chain of its own: so many changes behind its creation. */
  async makeChain(name: string, rows = 3): Promise<string> {
    const orgId = await this.makeOrganization(name);
    for (let i = 0; i < rows; i++)
      await this.call("PUT", `/orgs/organizations/${orgId}/audit-retention`, { retentionDays: 400 + i });
    await expect
      .poll(async () => (await this.call<{ entries: Json[] }>("GET", `/audit-logs?orgId=${orgId}`)).entries.length)
      .toBeGreaterThan(rows);
    return orgId;
  }

  /** Somebody who can sign in; `over` has at least the role. */
  async createPerson(over: Json): Promise<Person & { id: string }> {
    const person = { email: `${crypto.randomUUID()}@people.example`, password: "a long enough password" };
    const { id } = await this.call<{ id: string }>("POST", "/users", { name: "Pat Person", ...person, ...over });
    return { ...person, id };
  }

  /** A program that may write into the log of one organization. */
  async createWriter(orgId: string): Promise<Api> {
    const key = { name: "Writer", orgId, permissions: ["audit:write"] };
    return this.as((await this.call<{ key: string }>("POST", "/api-keys", key)).key);
  }

  /** Has a program write events into an organization's log, and waits until all of them are there. */
  async write(orgId: string, events: readonly { action: string; [member: string]: unknown }[]): Promise<void> {
    const path = `/audit-logs?orgId=${orgId}&actions=${[...new Set(events.map(({ action }) => action))].join(",")}`;
    const stored = async () => (await this.call<{ pagination: { total: number } }>("GET", path)).pagination.total;
    const before = await stored();
    const writer = await this.createWriter(orgId);
    const each = events.map((event) => ({ result: "success", actorId: crypto.randomUUID(), ...event }));
    for (let at = 0; at < each.length; at += AT_ONCE)
      await writer.call("POST", "/audit-logs/events", { events: each.slice(at, at + AT_ONCE) });
    await expect.poll(stored).toBe(before + events.length);
  }

  /** A device with an agent that has joined and is not connected. */
  async enroll(orgId: string, hostname: string): Promise<{ deviceId: string; agentId: string; token: string }> {
    const { key } = await this.call("POST", "/enrollment-keys", { orgId });
    return this.call("POST", "/agents/enroll", { enrollmentKey: key, hostname, os: "windows" });
  }
}
