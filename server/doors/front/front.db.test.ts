import { once } from "node:events";
import { readdirSync } from "node:fs";
import type { Server } from "node:http";
import { connect } from "node:net";
import { setImmediate } from "node:timers/promises";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { routes } from "@/server/doors/http/routes.generated";
import { MAX_BATCH_CALLS } from "@/server/doors/trpc/batch";
import { requestFigures } from "@/server/ground/limits/concurrency";
import { log } from "@/server/ground/log";
import { appendEvents } from "@/testing/audit-entries";
import { bearer, createUser } from "@/testing/factories";
import { listen } from "@/testing/port-of";
import { createFront, createListener } from "./front";

/** Sends bytes as they are, and gives the answers' status lines and text. */
async function sendRaw(port: number, text: string): Promise<string> {
  const socket = connect(port, "127.0.0.1");
  socket.end(text);
  let answer = "";
  socket.setEncoding("latin1").on("data", (chunk: string) => {
    answer += chunk;
  });
  await once(socket, "close");
  return answer;
}

describe("the HTTP server", () => {
  let server: Server;
  let port: number;
  let token: string;
  const errors = vi.spyOn(log, "error");

  beforeAll(async () => {
    const listener = createListener({
      routes,
      next: async (_, outgoing) => void outgoing.end("page"),
      origin: "http://127.0.0.1:3000",
      dev: false,
    });
    server = createFront(listener);
    port = await listen(server);
    token = await bearer(await createUser({ role: "org_admin" }));
  });
  beforeEach(() => errors.mockClear());
  afterAll(() => void server.close());

  const statusOf = async (text: string): Promise<number> =>
    Number(/^HTTP\/1.1 (\d+)/.exec(await sendRaw(port, text))?.[1]);
  const ask = (path: string, init: RequestInit = {}) =>
    fetch(`http://127.0.0.1:${port}${path}`, { redirect: "manual", ...init });

  it("rejects page URLs with thousands of parameters and renders normal ones", async () => {
    for (const path of ["/login", "/icon.svg", "/devices/"]) {
      const answer = await ask(`${path}?${"a&".repeat(7_500)}`);
      expect([answer.status, (await answer.json()).detail]).toEqual([400, "target: has more than 200 parameters"]);
    }
    const most = Array.from({ length: 200 }, (_, n) => `p${n}=x`).join("&");
    expect(await (await ask(`/login?${most}`)).text()).toBe("page");
    expect((await ask(`/login?${most}&q`)).status).toBe(400);
  });

  it("sends one Content-Length for any form of the response", async () => {
    const headers = { authorization: `Bearer ${token}`, "trpc-accept": "application/jsonl" };
    const answer = await ask("/api/trpc/me.get?batch=1&input=%7B%7D", { headers });
    expect(answer.status).toBe(200);
    expect(Number(answer.headers.get("content-length"))).toBe((await answer.arrayBuffer()).byteLength);
    expect(answer.headers.has("transfer-encoding")).toBe(false);
  });

  it.each([
    [5, 1_024, 131_072],
    [100, 131_072, 1_048_576],
  ])("compresses a page of %i entries as a whole with its Content-Length", async (limit, min, max) => {
    const user = await createUser({ role: "org_admin" });
    const filler = "of a service that did not answer".repeat(50);
    await appendEvents(Array.from({ length: limit }, (_, n) => ({ orgId: user.orgId ?? "", details: { n, filler } })));
    const authorization = `Bearer ${await bearer(user)}`;
    const get = async (encoding: string) => {
      const answer = await ask(`/api/v1/audit-logs/logs?limit=${limit}`, {
        headers: { authorization, "accept-encoding": encoding },
      });
      const { headers } = answer;
      return {
        text: await answer.text(),
        encoded: headers.get("content-encoding"),
        length: headers.get("content-length"),
      };
    };
    const plain = await get("identity");
    expect([plain.encoded, Number(plain.length)]).toEqual([null, Buffer.byteLength(plain.text)]);
    expect(Number(plain.length)).toBeGreaterThan(min);
    expect(Number(plain.length)).toBeLessThanOrEqual(max);
    for (const [accepted, encoding] of [
      ["gzip", "gzip"],
      ["gzip, deflate, br, zstd", "br"],
    ] as const) {
      const { text, encoded, length } = await get(accepted);
      expect(text).toBe(plain.text);
      expect(encoded).toBe(encoding);
      expect(Number(length)).toBeGreaterThan(0);
      expect(Number(length)).toBeLessThan(Number(plain.length) / 2);
    }
  });

  it("a page abandoned while its calls wait is not logged as an error", async () => {
    const authorization = `Bearer ${await bearer(await createUser({ role: "org_admin" }))}`;
    const calls = Array.from({ length: 12 }, () => "me.get");
    const page = new AbortController();
    const answer = ask(`/api/trpc/${calls.join(",")}?batch=1`, { headers: { authorization }, signal: page.signal });
    while (requestFigures().waiting === 0) await setImmediate();
    page.abort();
    await expect(answer).rejects.toThrow("aborted");
    await expect.poll(requestFigures).toMatchObject({ running: 0, waiting: 0 });
    expect(errors).not.toHaveBeenCalled();
  });

  it.each([
    ["OPTIONS * HTTP/1.1", 400],
    ["GET * HTTP/1.1", 400],
    ["GET http://evil.test/devices HTTP/1.1", 400],
    ["GET http://evil.test/api/v1/me HTTP/1.1", 400],
    ["POST http://127.0.0.1:3000/api/v1/auth/token HTTP/1.1", 415],
    ["GET http://127.0.0.1:3000/api/v1/me HTTP/1.1", 401],
    ["CONNECT evil.test:443 HTTP/1.1", 405],
    ["DELETE / HTTP/1.1", 405],
    ["PURGE /api/v1/me HTTP/1.1", 405],
  ])("%s returns %i", async (line, status) => {
    expect(await statusOf(`${line}\r\nHost: 127.0.0.1:3000\r\nConnection: close\r\n\r\n`)).toBe(status);
    expect(errors).not.toHaveBeenCalled();
  });

  it("rejects HTTP/0.9", async () => {
    for (const path of ["/healthz", "/login"]) expect(await statusOf(`GET ${path}\r\n\r\n`)).toBe(400);
  });

  it.each(["Host: a.test", "host: 127.0.0.1:3000", "Authorization: Bearer x", "Content-Type: text/xml"])(
    "rejects a duplicate header: %s",
    async (line) => {
      const first = "Host: 127.0.0.1:3000\r\nAuthorization: Bearer y\r\nContent-Type: application/json\r\n";
      const answer = await sendRaw(port, `GET /api/v1/me HTTP/1.1\r\n${first}${line}\r\nConnection: close\r\n\r\n`);
      expect(answer).toMatch(/^HTTP\/1.1 400 /);
      expect(answer).toContain(`${line.split(":", 1)[0]?.toLowerCase()}: is given twice`);
    },
  );

  it.for<[string, string, string, string]>([
    ["an unread body", "POST /api/v1/auth/token HTTP/1.1", "Content-Type: text/xml", "<a/>"],
    ["an unexpected body", "GET /api/v1/me HTTP/1.1", "X-A: b", "{}"],
    ["HTTP/1.0", "POST /api/v1/api-keys HTTP/1.0", "Content-Type: application/json", "{}"],
  ])("closes a connection on request after %s", async ([_, line, header, body]) => {
    const socket = connect(port, "127.0.0.1").setEncoding("latin1").resume();
    const close = line.endsWith("1.0") ? "" : "Host: 127.0.0.1:3000\r\nConnection: close\r\n";
    const closed = once(socket, "end", { signal: AbortSignal.timeout(20_000) });
    socket.write(`${line}\r\n${close}${header}\r\nContent-Length: ${body.length}\r\n\r\n`);
    // The answer comes before the body.
    const [answer] = await once(socket, "data");
    expect(answer).toMatch(/^HTTP\/1.1 4/);
    socket.write(body);
    await closed;
    socket.destroy();
  });

  const HEADERS: [string, RegExp][] = [
    ["content-security-policy", /frame-ancestors 'none'/],
    ["cross-origin-opener-policy", /^same-origin$/],
    ["cross-origin-resource-policy", /^same-origin$/],
    ["permissions-policy", /camera=\(\).*microphone=\(\)/],
    ["referrer-policy", /^same-origin$/],
    ["x-content-type-options", /^nosniff$/],
    ["x-frame-options", /^DENY$/],
  ];
  const pages = readdirSync("app", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith("page.tsx"))
    .map((file) => `/${file.replace(/\(\w+\)\/|\/?page\.tsx$/g, "")}`);
  const paths = [...new Set([...routes.map((route) => route.path), ...pages, "/nowhere", "/api/nowhere"])].filter(
    // Their files come out of the build.
    (path) => path !== "/verify/offline.html" && path !== "/p/[token]",
  );

  it.each(paths.map((path) => path.replace(/\[(\.\.\.)?\w+\]/g, "x")))("%s has every security header", async (path) => {
    for (const cookie of ["", "trailmark.session=x"]) {
      const answer = await ask(path, { headers: { cookie }, signal: AbortSignal.timeout(60_000) });
      for (const [name, value] of HEADERS)
        expect([name, answer.headers.get(name)]).toEqual([name, expect.stringMatching(value)]);
      const policy = answer.headers.get("content-security-policy") ?? "";
      const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? /default-src ([^;]*)/.exec(policy)?.[1];
      expect(scripts).not.toMatch(/unsafe|\*|https?:/);
      await answer.body?.cancel();
    }
  });

  const many = (count: number) => `/api/trpc/${Array(count).fill("me.get").join(",")}?batch=1&input={}`;
  const json = { "content-type": "application/json" };

  it.for<[string, RequestInit, number, number]>([
    ["/api/trpc/no.such", {}, 404, 404],
    ["/api/trpc/no.such", { method: "POST", headers: json, body: "{}" }, 404, 404],
    ["/api/trpc/%ff", {}, 404, 404],
    ["/api/trpc/organizations.update", {}, 405, 405],
    ["/api/trpc/me.get", { method: "POST", headers: json, body: "{}" }, 405, 405],
    ["/api/trpc/me.get", { method: "PUT", headers: json, body: "{}" }, 405, 405],
    ["/api/trpc/audit.tail", { method: "POST", headers: json, body: "{}" }, 405, 405],
    ["/api/trpc/audit.tail?input=%7B%22orgId%22%3A%22zzz%22%7D", {}, 401, 400],
    [
      "/api/trpc/organizations.update",
      { method: "POST", headers: { "content-type": "text/xml" }, body: "<a/>" },
      415,
      415,
    ],
    ["/api/trpc/organizations.update", { method: "POST", body: new FormData() }, 415, 415],
    ["/api/trpc/organizations.update", { method: "POST", headers: json, body: "{" }, 400, 400],
    ["/api/trpc/organizations.update", { method: "POST", headers: json, body: '{"id":"x"}' }, 401, 400],
    ["/api/trpc/users.list?input=%00", {}, 400, 400],
    ["/api/trpc/users.list?input={}&input={}", {}, 400, 400],
    ["/api/trpc/users.list?input=%7B%22page%22%3A-1%7D", {}, 401, 400],
    ["/api/trpc/users.list,me.get?batch=1&input=%00", {}, 400, 400],
    [many(MAX_BATCH_CALLS), {}, 401, 200],
    [many(MAX_BATCH_CALLS + 1), {}, 400, 400],
  ])("%s %o returns %i to strangers and %i to a user", async ([path, init, stranger, person]) => {
    expect((await ask(path, init)).status).toBe(stranger);
    const headers = { ...init.headers, authorization: `Bearer ${token}`, origin: "http://127.0.0.1:3000" };
    const answer = await ask(path, { ...init, headers });
    expect(answer.status).toBe(person);
    expect(await answer.text()).not.toMatch(/at .*\.ts|node_modules/);
    expect(errors).not.toHaveBeenCalled();
  });
});
