import type { Server } from "node:http";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { listen, portOf } from "@/testing/port-of";
import { createFront, createListener } from "./front";

let server: Server;
let rendered: string[] = [];
let status = 200;

beforeAll(async () => {
  const listener = createListener({
    routes: [],
    next: async ({ url = "", headers }, outgoing) => {
      rendered.push(url);
      outgoing.statusCode = url === "/404" ? 404 : status;
      outgoing.setHeader("Content-Type", "text/html");
      outgoing.setHeader("Link", `</a.css>; nonce="${headers["x-nonce"]}"`);
      outgoing.write(`<script nonce="${headers["x-nonce"]}">`);
      outgoing.end(`cookie ${headers.cookie}`);
    },
    origin: "http://127.0.0.1:3000",
    dev: false,
  });
  server = createFront(listener);
  await listen(server);
});
beforeEach(() => {
  rendered = [];
  status = 200;
});
afterAll(() => void server.close());

async function ask(path: string, headers: Record<string, string> = {}) {
  const answer = await fetch(`http://127.0.0.1:${portOf(server)}${path}`, { headers, redirect: "manual" });
  const policy = answer.headers.get("content-security-policy") ?? "";
  const nonce = /'nonce-([^']+)'/.exec(policy)?.[1] ?? "";
  return { status: answer.status, text: await answer.text(), link: answer.headers.get("link"), nonce };
}

it("renders a static page once and serves it to everyone with a fresh nonce", async () => {
  const cookie = "trailmark.zone=Asia%2FTokyo";
  const answers = [await ask("/login", { cookie }), await ask("/login?callbackUrl=%2Fx"), await ask("/login")];
  expect(rendered).toEqual(["/login"]);
  expect(new Set(answers.map(({ nonce }) => nonce)).size).toBe(3);
  for (const { status, text, link, nonce } of answers)
    expect({ status, text, link }).toEqual({
      status: 200,
      text: `<script nonce="${nonce}">cookie undefined`,
      link: `</a.css>; nonce="${nonce}"`,
    });
});

it("renders a page again if it depends on its URL", async () => {
  await ask("/login?error=a");
  await ask("/login?error=a");
  await ask("/verify", { rsc: "1" });
  expect(rendered).toEqual(["/login?error=a", "/login?error=a", "/verify"]);
});

it("answers unknown URLs and missing files from one rendered 404 page", async () => {
  for (const path of ["/a/b.png", "/login/x", "/_next/x", "/api/x", "/docs/x/y", "/p", "/p/a/b", "/x.html"])
    expect([path, (await ask(path)).status]).toEqual([path, 404]);
  expect(rendered).toEqual(["/404"]);
  for (const path of ["/icon.svg", "/_next/static/a.js", "/p/token", "/setup"]) await ask(path);
  expect(rendered.slice(1)).toEqual(["/icon.svg", "/_next/static/a.js", "/p/token", "/setup"]);
});

it("does not cache a failed page", async () => {
  status = 500;
  expect((await ask("/forgot")).status).toBe(500);
  status = 200;
  expect((await ask("/forgot")).status).toBe(200);
  await ask("/forgot");
  expect(rendered).toEqual(["/forgot", "/forgot"]);
});
