import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { Server } from "node:http";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { watchBundle } from "@/scripts/build.mjs";
import { createFront } from "@/server/doors/front/front";
import { listen, portOf } from "@/testing/port-of";
import { CurrentService } from "./current-service";
import type { Service } from "./service";

/** A service of one route, whose verb is in a separate file. */
const SERVICE = `
import { z } from "zod";
import { createListener } from "@/server/doors/front/front";
import { route } from "@/server/doors/http/route";
import { greet } from "./verb";

const GET = route({ summary: "", auth: "none", input: z.strictObject({ name: z.string().optional() }), output: "stream", run: greet });
export async function startService() {
  const routes = [{ path: "/api/v1/greeting", module: { GET } }];
  const next = async (_, outgoing) => void outgoing.end("a page");
  const listener = createListener({ routes, next, origin: "http://127.0.0.1", dev: true });
  return { listener, notice: null, closeStreams() {}, stop: async () => {} };
}`;
const verb = (word: string) =>
  `export const greet = async ({ ip }) => Response.json({ word: ${JSON.stringify(word)}, ip }, { headers: { "Cache-Control": "no-store" } });`;

type Start = () => Promise<Service>;
type Answer = { status: number; headers: Headers; body: unknown };

let folder: string;
let server: Server;
let service: CurrentService;
let endWatch: () => Promise<void>;
let onChange: (start: Start) => void = () => {};

const load = async (bundle: string): Promise<Start> => (await import(/* @vite-ignore */ bundle)).startService;

async function ask(path: string, init: RequestInit = {}): Promise<Answer> {
  const port = portOf(server);
  const response = await fetch(`http://127.0.0.1:${port}${path}`, init);
  return { status: response.status, headers: response.headers, body: await response.json().catch(() => null) };
}

/** Writes a source file and waits until the service that is built from it has taken over. */
async function edit(word: string): Promise<void> {
  const replaced = new Promise<unknown>((resolve) => {
    onChange = (start) => resolve(service.replace(start));
  });
  writeFileSync(join(folder, "verb.ts"), verb(word));
  await replaced;
}

beforeAll(async () => {
  process.env.DATABASE_URL ??= "postgres://nobody@127.0.0.1/none";
  process.env.NEXTAUTH_SECRET ??= "0123456789012345678901234567890123456789";
  process.env.NEXTAUTH_URL ??= "http://127.0.0.1:3000";
  mkdirSync("dist", { recursive: true });
  folder = mkdtempSync(join(process.cwd(), "dist", "watched-"));
  writeFileSync(join(folder, "service.ts"), SERVICE);
  writeFileSync(join(folder, "verb.ts"), verb("first"));
  const name = join(relative("dist", folder), "service");
  const first = new Promise<Start>((resolve) => {
    onChange = resolve;
  });
  endWatch = await watchBundle({
    name,
    source: join(folder, "service.ts"),
    onBuilt: async (bundle: string) => onChange(await load(bundle)),
  });
  service = new CurrentService(await first);
  server = createFront(service.listener);
  await listen(server);
});
afterAll(async () => {
  await endWatch?.();
  server?.close();
  rmSync(folder, { recursive: true, force: true });
});

describe.each(["as it was started", "after a source file has changed"])("hot-reloaded service %s", (state) => {
  const word = state.startsWith("after") ? "second" : "first";
  beforeAll(async () => {
    if (word === "second") await edit(word);
  });

  it("answers with the current version of the handler", async () => {
    expect(await ask("/api/v1/greeting")).toMatchObject({ status: 200, body: { word } });
  });

  it("takes the client address from the socket, not from a header", async () => {
    const { body } = await ask("/api/v1/greeting", { headers: { "x-trailmark-peer": "203.0.113.9" } });
    expect(body).toMatchObject({ ip: "127.0.0.1" });
  });

  it("returns errors as problem+json", async () => {
    const { status, headers, body } = await ask("/api/v1/greeting?colour=red");
    expect([status, headers.get("content-type")]).toEqual([400, "application/problem+json"]);
    expect(body).toMatchObject({ code: "validation_error", errors: [{ path: "colour" }] });
    expect(headers.get("x-content-type-options")).toBe("nosniff");
  });

  it("lists the allowed methods", async () => {
    const { status, headers, body } = await ask("/api/v1/greeting", { method: "PUT" });
    expect([status, headers.get("allow"), body]).toMatchObject([405, "GET, HEAD", { code: "method_not_allowed" }]);
  });
});

describe("during a service reload", () => {
  const status = async () => (await ask("/api/v1/greeting")).status;

  it("requests wait for the new service", async () => {
    await edit("third");
    let start: (service: Service) => void = () => {};
    const current = await service.get();
    const replaced = service.replace(() => new Promise<Service>((resolve) => (start = resolve)));
    const asked = ask("/api/v1/greeting");
    await new Promise((resolve) => setTimeout(resolve, 50));
    start(current);
    await replaced;
    expect(await asked).toMatchObject({ status: 200, body: { word: "third" } });
  });

  it("a service that fails to start returns 503 until one starts", async () => {
    const current = await service.get();
    await service.replace(() => Promise.reject(new Error("a fault in the source")));
    expect(await status()).toBe(503);
    await service.replace(async () => current);
    expect(await status()).toBe(200);
  });
});
