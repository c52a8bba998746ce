import { gunzipSync } from "node:zlib";
import { afterEach, beforeAll, expect, it } from "vitest";
import { createBatch, LOOPBACK_SETTINGS, withConfig } from "@/testing/streams/batches";
import { STORE, startStrictS3 } from "@/testing/streams/strict-s3";
import { s3 } from "./s3";

beforeAll(() => void Object.assign(process.env, LOOPBACK_SETTINGS));

const open: (() => Promise<void>)[] = [];
afterEach(async () => {
  await Promise.all(open.splice(0).map((close) => close()));
});

async function strictStore(options?: { hasLocks: boolean }) {
  const store = await startStrictS3(options);
  open.push(store.close);
  const { secret, ...place } = STORE;
  const config = { ...place, endpoint: store.url, prefix: "customers/{org.slug}" };
  const stream = (more: object = {}, key = secret) => withConfig(s3, { ...config, ...more }, { secret: key });
  return { store, stream };
}

const KEY = "customers/northwind/org=5b0c1c3e-7f6d-4d5f-9c31-1f2a3b4c5d6e/2026/11/000000000041-000000000043.ndjson.gz";
const batchOf41 = () => createBatch({ first: 41, at: new Date("2026-11-03T10:00:00Z") });

it("writes a batch once, signed and checksummed, under a key from its range", async () => {
  const { store, stream } = await strictStore();
  const batch = batchOf41();
  const outcome = await stream().send(batch);
  const stored = store.objects.get(KEY);
  expect(outcome).toMatchObject({ kind: "acknowledged", receipt: { key: KEY, etag: stored?.etag, version: "v1" } });
  expect(gunzipSync(stored?.body ?? "").toString("utf8")).toBe(batch.lines.map(({ text }) => `${text}\n`).join(""));
});

it("acknowledges a batch whose first response was lost", async () => {
  const { store, stream } = await strictStore();
  const batch = batchOf41();
  store.after = ({ method }) => (method === "PUT" ? "cut" : null);
  expect(await stream().send(batch)).toMatchObject({ kind: "again", code: "ECONNRESET" });
  store.after = () => null;
  expect(await stream().send(batch)).toMatchObject({ kind: "acknowledged", receipt: { version: "v1" } });
  expect(store.objects.size).toBe(1);
});

it("never overwrites an object with different content", async () => {
  const { store, stream } = await strictStore();
  expect(await stream().send(batchOf41())).toMatchObject({ kind: "acknowledged" });
  const other = batchOf41();
  other.marker.digest = "cd".repeat(32);
  expect(await stream().send(other)).toMatchObject({ kind: "blocked", code: "412" });
  expect(store.objects.get(KEY)?.version).toBe("v1");
});

it("locks objects for the configured time", async () => {
  const { store, stream } = await strictStore();
  await stream({ lock: { mode: "compliance", days: 30 } }).send(batchOf41());
  const left = (store.objects.get(KEY)?.lockedUntil?.getTime() ?? 0) - Date.now();
  expect(Math.round(left / 86_400_000)).toBe(30);
});

it.for([
  { fault: "a wrong key", more: {}, secret: "another-secret", code: "403" },
  { fault: "another region", more: { region: "us-east-1" }, secret: STORE.secret, code: "403" },
  { fault: "a missing bucket", more: { bucket: "nobucket" }, secret: STORE.secret, code: "404" },
  {
    fault: "a lock the bucket does not support",
    more: { lock: { mode: "governance", days: 1 } },
    secret: STORE.secret,
    code: "400",
  },
])("blocks on $fault", async ({ more, secret, code }) => {
  const { store, stream } = await strictStore({ hasLocks: false });
  expect(await stream(more, secret).send(batchOf41())).toMatchObject({ kind: "blocked", code });
  expect((await stream(more, secret).check()).at(-1)).toMatchObject({ ok: false });
  expect(store.objects.size).toBe(0);
});

it("slows down when the store asks for it", async () => {
  const { store, stream } = await strictStore();
  store.before = () => ({ status: 503, headers: { "Retry-After": "7" }, body: "<Code>SlowDown</Code>" });
  expect(await stream().send(batchOf41())).toMatchObject({ kind: "again", code: "503", retryAfterMs: 7_000 });
});

it("does not follow a redirect to a private address", async () => {
  const { store, stream } = await strictStore();
  const inner = await strictStore();
  store.before = () => ({ status: 301, headers: { Location: `${inner.store.url}/audit/x` } });
  expect(await stream().send(batchOf41())).toMatchObject({ kind: "blocked", code: "301" });
  expect(inner.store.received).toEqual([]);
});

it("checks by writing and reading back an object", async () => {
  const { store, stream } = await strictStore();
  const steps = await stream({ lock: { mode: "governance", days: 400 } }).check();
  expect(steps.at(-1)).toEqual({ step: "acknowledge", ok: true, message: "The object was read back." });
  expect(steps.every(({ ok }) => ok)).toBe(true);
  // A check leaves nothing that cannot be deleted for a year.
  const [left] = [...store.objects.values()];
  expect(left?.lockedUntil?.getTime()).toBeLessThan(Date.now() + 120_000);
});

it.each(["../up", "a//b", "/a", "a/", "a/./b", "{org.name}", "a b"])("rejects the prefix %s", (prefix) => {
  const { secret: _, ...place } = STORE;
  expect(s3.config.safeParse({ ...place, prefix }).success).toBe(false);
});
