import { expect, it } from "vitest";
import { GET as getHealth } from "@/app/healthz/route";
import { GET as getReadiness } from "@/app/readyz/route";
import { BUILD } from "@/server/ground/build";
import { exposeMetrics } from "./expose-metrics";

const ask = async (headers: Record<string, string>) =>
  (await exposeMetrics(new Request("http://127.0.0.1:3000/metrics", { headers }))).status;
const here = { "x-trailmark-peer": "127.0.0.1" };

it("answers this machine without a token, and nobody else", async () => {
  expect(await ask(here)).toBe(200);
  expect(await ask({ "x-trailmark-peer": "::1" })).toBe(200);
  for (const peer of ["203.0.113.7", "::ffff:203.0.113.7", "1270.0.0.1", ""])
    expect(await ask({ "x-trailmark-peer": peer }), peer).toBe(401);
});

it("answers a local host name, but not a rebound DNS name", async () => {
  for (const host of ["127.0.0.1:3000", "localhost", "LOCALHOST:9090", "[::1]:3000", "127.0.0.2"])
    expect(await ask({ ...here, host }), host).toBe(200);
  for (const host of ["evil.test:3000", "127.0.0.1.evil.test", "localhost.evil.test", "", "127.0.0.1:3000@evil.test"])
    expect(await ask({ ...here, host }), host).toBe(401);
});

it.each([
  "Forwarded",
  "X-Forwarded-For",
  "X-Forwarded-Proto",
  "X-Forwarded-Host",
  "X-Real-IP",
  "CF-Connecting-IP",
  "Via",
])("rejects requests proxied on this machine with %s", async (name) => {
  expect(await ask({ ...here, [name]: "203.0.113.7" })).toBe(401);
  expect(await ask({ ...here, [name]: "" })).toBe(401);
});

it("exposes version, commit and standard process metrics", async () => {
  const text = await (
    await exposeMetrics(new Request("http://127.0.0.1:3000/metrics", { headers: { ...here, host: "localhost" } }))
  ).text();
  expect(text).toContain(`trailmark_build_info{version="${BUILD.version}",commit="${BUILD.commit}"} 1\n`);
  expect(text).toMatch(/^process_resident_memory_bytes \d/m);
  expect(text).toMatch(/^nodejs_eventloop_lag_p99_seconds \d/m);
  expect(text).not.toMatch(/trailmark_(process|nodejs)_/);
});

it("/healthz and /readyz return the same", async () => {
  for (const get of [getHealth, getReadiness]) expect(await (await get()).json()).toMatchObject(BUILD);
});
