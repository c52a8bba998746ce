import { execFileSync } from "node:child_process";
import { createServer, type Server } from "node:http";
import { join } from "node:path";
import { sql } from "drizzle-orm";
import { build } from "esbuild";
import { afterAll, beforeAll, expect, it } from "vitest";
import { z } from "zod";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { nameRequest, traced } from "@/db/traced";
import { listen, portOf } from "@/testing/port-of";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { inRequest, startTracing, stopTracing } from "./tracing";

const span = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().optional(),
  name: z.string(),
  status: z.object({ code: z.number().optional() }),
  attributes: z.array(z.object({ key: z.string(), value: z.record(z.string(), z.unknown()) })),
});
const traces = z.object({
  resourceSpans: z.array(z.object({ scopeSpans: z.array(z.object({ spans: z.array(span) })) })),
});
type Received = z.infer<typeof span>;

const received: Received[] = [];
let collector: Server;
let server: Server;

beforeAll(async () => {
  collector = createServer(async (incoming, outgoing) => {
    const text = (await incoming.toArray()).join("");
    for (const { scopeSpans } of traces.parse(JSON.parse(text)).resourceSpans)
      received.push(...scopeSpans.flatMap(({ spans }) => spans));
    outgoing.end("{}");
  });
  server = createServer((incoming, outgoing) => {
    inRequest("/api/v1/things/[id]", { incoming, outgoing }, () => {
      nameRequest("request-1");
      const end = traced.getStore()?.begin?.("postgresql transaction");
      end?.(incoming.url?.includes("broken") ? new Error("broken") : undefined);
      outgoing.statusCode = incoming.url?.includes("broken") ? 500 : 200;
      outgoing.end("ok");
    });
  });
  await Promise.all([listen(collector), listen(server)]);
});
afterAll(() => {
  collector.close();
  server.close();
});

const ask = async (path: string, headers: Record<string, string> = {}) =>
  (await fetch(`http://127.0.0.1:${portOf(server)}${path}`, { headers })).text();

async function traceOf(work: () => Promise<unknown>, settings: Parameters<typeof withSettings>[0] = {}) {
  const endpoint = `http://127.0.0.1:${portOf(collector)}`;
  process.env.OTEL_EXPORTER_OTLP_ENDPOINT = endpoint;
  withSettings({ OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, ...settings });
  received.length = 0;
  await startTracing();
  await work();
  await stopTracing();
  delete process.env.OTEL_EXPORTER_OTLP_ENDPOINT;
  return received;
}
const requestOf = (spans: Received[]) => spans.find(({ name }) => name.startsWith("GET"));

it("traces a request and its transactions together, by route and not by URL", async () => {
  const spans = await traceOf(() => ask("/api/v1/things/secret-id?q=jane@contoso.example"));
  const request = requestOf(spans);
  expect(request?.name).toBe("GET /api/v1/things/[id]");
  const part = spans.find(({ name }) => name === "postgresql transaction");
  expect(part).toMatchObject({ traceId: request?.traceId, parentSpanId: request?.spanId });
  const told = Object.fromEntries((request?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]));
  expect(told).toMatchObject({ "http.response.status_code": 200, "trailmark.request_id": "request-1" });
  expect(JSON.stringify(spans)).not.toMatch(/secret-id|jane/);
});

it("marks failed spans", async () => {
  const spans = await traceOf(() => ask("/broken"));
  expect(spans.map(({ status }) => status.code)).toEqual([2, 2]);
});

it("continues traces of trusted proxies only", async () => {
  const traceId = "0af7651916cd43dd8448eb211c80319c";
  const headers = { traceparent: `00-${traceId}-b7ad6b7169203331-01` };
  const outside = await traceOf(() => ask("/", headers));
  expect(requestOf(outside)?.traceId).not.toBe(traceId);
  const behind = await traceOf(() => ask("/", headers), { TRUST_PROXY_HEADERS: true });
  expect(requestOf(behind)).toMatchObject({ traceId, parentSpanId: "b7ad6b7169203331" });
});

it("sends and stores nothing without an endpoint", async () => {
  received.length = 0;
  await startTracing();
  await ask("/");
  await stopTracing();
  expect(received).toEqual([]);
});

it("a transaction shows its request ID in pg_stat_activity until it ends", async () => {
  const nameNow = () =>
    asSystem(async (tx) => {
      const [row] = await rowsOf<{ name: string }>(tx, sql`SELECT current_setting('application_name') AS name`);
      return row?.name;
    });
  const names = await traced.run({}, async () => {
    nameRequest("0f8c2d1e-6a51-4d55-9a1f-2f1b7a9c0001");
    return [await nameNow(), await nameNow()];
  });
  expect(names).toEqual(Array(2).fill("trailmark request 0f8c2d1e-6a51-4d55-9a1f-2f1b7a9c0001"));
  expect(await nameNow()).toBe("trailmark");
});

it("does not import OpenTelemetry without an endpoint", async () => {
  // A folder in which no package of OpenTelemetry can be found: an import there fails.
  const folder = tempFolder();
  const bundle = join(folder, "tracing.mjs");
  const source = `
    import { startTracing, stopTracing } from "@/server/ground/background/tracing";
    await startTracing().then(() => console.log("started"), (error) => console.log(error.code));
    await stopTracing();`;
  const { metafile } = await build({
    stdin: { contents: source, resolveDir: process.cwd(), loader: "ts" },
    outfile: bundle,
    bundle: true,
    format: "esm",
    platform: "node",
    metafile: true,
    alias: { "@": process.cwd() },
    external: ["@opentelemetry/*"],
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
  });
  const imports = Object.values(metafile.outputs).flatMap((output) => output.imports);
  const kinds = imports.filter(({ path }) => path.startsWith("@opentelemetry/")).map(({ kind }) => kind);
  expect(new Set(kinds)).toEqual(new Set(["dynamic-import"]));
  const run = (more: Record<string, string>) =>
    execFileSync(process.execPath, [bundle], {
      cwd: folder,
      encoding: "utf8",
      env: { PATH: process.env.PATH ?? "", NODE_ENV: "production", ...settings, ...more },
    }).trim();
  const settings = {
    DATABASE_URL: "postgres://app:secret@127.0.0.1:1/none",
    NEXTAUTH_SECRET: "0123456789abcdef0123456789abcdef",
    NEXTAUTH_URL: "http://127.0.0.1:3000",
  };
  expect(run({})).toBe("started");
  expect(run({ OTEL_EXPORTER_OTLP_ENDPOINT: "http://127.0.0.1:4318" })).toBe("ERR_MODULE_NOT_FOUND");
});
