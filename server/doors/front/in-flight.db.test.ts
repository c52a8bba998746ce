import { Agent, get, type Server } from "node:http";
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from "vitest";
import { bearer, createUser } from "@/testing/factories";
import { listen, portOf } from "@/testing/port-of";
import { createFront, createListener } from "./front";
import { MAX_IN_FLIGHT } from "./in-flight";

type Headers = Record<string, string>;

/** What the server works on, until the test releases it. */
let begun: string[] = [];
let onBegin = () => {};
const begin = (path: string) => {
  begun.push(path);
  onBegin();
};
let release = () => {};
let held = Promise.resolve();

const slow = (spec: object) => ({
  GET: Object.assign(
    async ({ url }: Request) => {
      begin(new URL(url).pathname);
      await held;
      return new Response("done");
    },
    { spec },
  ),
});
const routes = [
  { path: "/api/v1/slow", module: slow({ auth: "user", permission: "audit:read" }) },
  { path: "/api/v1/events", module: slow({ auth: "user", permission: "audit:write" }) },
  { path: "/api/v1/live", module: slow({ auth: "user", permission: "devices:live" }) },
  { path: "/api/v1/open", module: slow({ auth: "none" }) },
  { path: "/api/trpc/[trpc]", module: { GET: slow({}).GET.bind(null) } },
];

let server: Server;
let agent: Agent;

beforeAll(async () => {
  const listener = createListener({
    routes,
    next: async ({ url = "" }, outgoing) => {
      begin(url);
      await held;
      outgoing.end("page");
    },
    origin: "http://127.0.0.1:3000",
    dev: false,
  });
  server = createFront(listener);
  await listen(server);
});
beforeEach(() => {
  agent = new Agent();
  begun = [];
  onBegin = () => {};
  held = new Promise((resolve) => {
    release = resolve;
  });
});
afterEach(() => {
  release();
  agent.destroy();
});
afterAll(() => void server.close());

/** Sends a request; its status when it is answered, 0 when it was hung up on. */
function ask(path: string, headers: Headers, localAddress = "127.0.0.1") {
  const outgoing = get({ port: portOf(server), host: "127.0.0.1", path, headers, agent, localAddress });
  const status = new Promise<number>((resolve) => {
    outgoing.once("response", (answer) => answer.resume().once("close", () => resolve(answer.statusCode ?? 0)));
    outgoing.once("error", () => resolve(0));
  });
  return { status, hangUp: () => outgoing.destroy() };
}
const many = (count: number, path: string, headers: Headers) => Array.from({ length: count }, () => ask(path, headers));
const untilBegun = (count: number) => expect.poll(() => begun.length).toBe(count);

it.for<[string, Headers, Headers, Headers]>([
  ["a bearer token", { authorization: "Bearer a" }, { authorization: "bearer   a " }, { authorization: "Bearer b" }],
  ["a key", { "x-api-key": "c" }, { authorization: "Bearer c", cookie: "x=y" }, { "x-api-key": "d" }],
  [
    "a session",
    { cookie: "trailmark.session=a" },
    { cookie: "x=1; trailmark.session=a" },
    { cookie: "trailmark.session=b" },
  ],
])("rejects one request too many with %s, for that caller only", async ([_, mine, spelt, others]) => {
  const asked = many(MAX_IN_FLIGHT, "/api/v1/slow", mine);
  await untilBegun(MAX_IN_FLIGHT);
  expect(await ask("/api/v1/slow", spelt).status).toBe(429);
  expect(begun).toHaveLength(MAX_IN_FLIGHT);
  for (const [path, headers] of [
    ["/api/v1/slow", others],
    ["/api/v1/slow", {}],
    ["/api/v1/events", mine],
    ["/api/v1/live", mine],
    ["/api/v1/open", mine],
  ] as const)
    asked.push(ask(path, headers));
  await untilBegun(MAX_IN_FLIGHT + 5);
  release();
  expect(new Set(await Promise.all(asked.map(({ status }) => status)))).toEqual(new Set([200]));
  expect(await ask("/api/v1/slow", mine).status).toBe(200);
});

it("a batch counts each of its calls", async () => {
  const mine = { authorization: "Bearer batches" };
  const calls = (count: number) => `/api/trpc/${Array.from({ length: count }, () => "me.get").join("%2C")}?batch=1`;
  const asked = [...many(6, calls(20), mine), ask(calls(8), mine)];
  await untilBegun(7);
  expect(await ask("/api/trpc/me.get", mine).status).toBe(429);
  asked.push(ask(calls(20), { authorization: "Bearer others" }));
  await untilBegun(8);
  release();
  expect(new Set(await Promise.all(asked.map(({ status }) => status)))).toEqual(new Set([200]));
});

it("an aborted request frees its slot", async () => {
  const mine = { authorization: "Bearer gone" };
  const asked = many(MAX_IN_FLIGHT, "/api/v1/slow", mine);
  await untilBegun(MAX_IN_FLIGHT);
  for (const { hangUp } of asked) hangUp();
  await Promise.all(asked.map(({ status }) => status));
  // The server learns of it a moment later; until then the next one is one too many.
  const untilNextBegins = new Promise<number>((resolve) => {
    onBegin = () => resolve(0);
  });
  let status = 429;
  while (status === 429) status = await Promise.race([ask("/api/v1/slow", mine).status, untilNextBegins]);
  expect(status).toBe(0);
});

const cookieOf = async () => ({ cookie: `trailmark.session=${await bearer(await createUser())}` });

it("renders two pages of a session at a time, without delaying other sessions", async () => {
  const [mine, others] = [await cookieOf(), await cookieOf()];
  const asked = many(6, "/devices", mine);
  await untilBegun(2);
  asked.push(ask("/reports", others), ask("/p/x", {}), ask("/_next/static/x.js", mine));
  await untilBegun(5);
  expect(begun.filter((url) => url === "/devices")).toHaveLength(2);
  release();
  expect(new Set(await Promise.all(asked.map(({ status }) => status)))).toEqual(new Set([200]));
});

it("an aborted page gives its slot to the session's next page", async () => {
  const mine = await cookieOf();
  const left = many(2, "/left", mine);
  await untilBegun(2);
  const next = ask("/next", mine);
  for (const { hangUp } of left) hangUp();
  await expect.poll(() => begun).toContain("/next");
  release();
  expect(await next.status).toBe(200);
});

it("renders two pages per network for strangers and rejects long queues, with or without cookies", async () => {
  const made = (n: number) => ({ cookie: `trailmark.session=made-up-${n}` });
  const asked = Array.from({ length: 30 }, (_, n) => ask("/p/x", made(n), "127.0.0.2"));
  const refused = await Promise.race(asked.map(({ status }) => status));
  expect([refused, begun.length]).toEqual([429, 2]);
  asked.push(ask("/p/x", {}, "127.0.0.3"));
  await untilBegun(3);
  release();
  const statuses = await Promise.all(asked.map(({ status }) => status));
  expect(statuses.filter((status) => status === 200)).toHaveLength(27);
});
