import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runRetention } from "@/server/retention/run";
import { daysAgo, sealedDaysAgo } from "@/testing/chain";
import { auditRows, call, createUser } from "@/testing/factories";
import { keepFor } from "@/testing/permit";
import { many, stateOf } from "@/testing/streams";
import { archiveSite, objectsOf, sendAll } from "@/testing/streams/archive";
import { readManifest } from "./archive-manifest";
import { readObject } from "./archive-object";

const site = archiveSite();
const { archived, settings } = site;

it("writes a bundle and signed manifest, verifies them and records the receipt", async () => {
  const { orgId, id } = await archived(5);
  await sendAll(id);
  const [object] = await objectsOf(orgId);
  expect(object).toMatchObject({ firstSeq: 1, streamId: id });
  const range = { orgId, first: 1, last: object?.lastSeq ?? 0 };
  const stored = site.store.objects.get(object?.key ?? "");
  expect(await readObject(stored?.body ?? Buffer.alloc(0), range)).toMatchObject({
    fault: null,
    digest: object?.digest,
    rows: range.last,
  });
  const file = site.store.objects.get((object?.key ?? "").replace(".ndjson.gz", ".manifest.json"));
  expect(readManifest(file?.body.toString("utf8") ?? "")?.manifest).toMatchObject({
    digest: object?.digest,
    first: 1,
    last: range.last,
    previous: null,
    etag: stored?.etag,
    lock: { mode: "COMPLIANCE" },
  });
  expect((stored?.lockedUntil?.getTime() ?? 0) > Date.now() + 399 * 86_400_000).toBe(true);
  const receipts = (await auditRows(orgId)).filter(({ action }) => action === "archive.receipt");
  expect(receipts).toMatchObject([{ details: { digest: object?.digest, first: 1, last: range.last } }]);
});

it("each manifest names the previous object", async () => {
  const { orgId, id } = await archived(3);
  await sendAll(id);
  await many(orgId, 4);
  await sealedDaysAgo(orgId, 2);
  await sendAll(id);
  const objects = await objectsOf(orgId);
  expect(objects).toHaveLength(2);
  expect(objects[1]?.firstSeq).toBe((objects[0]?.lastSeq ?? 0) + 1);
  const file = site.store.objects.get((objects[1]?.key ?? "").replace(".ndjson.gz", ".manifest.json"));
  expect(readManifest(file?.body.toString("utf8") ?? "")?.manifest.previous).toBe(objects[0]?.digest);
});

describe("reading an archived object back", () => {
  it("blocks the archive and retention if the content differs", async () => {
    const { admin, orgId, id } = await archived(5);
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 50);
    site.store.after = ({ method, path }) => {
      const found = method === "GET" && site.store.objects.get(decodeURIComponent(path.slice("/audit/".length)));
      if (!found || !path.endsWith(".gz")) return null;
      const text = gunzipSync(found.body).toString("utf8");
      return { status: 200, body: gzipSync(text.replace('"result":"success"', '"result":"failure"')) };
    };
    await sendAll(id);
    expect(await stateOf(admin, id)).toMatchObject({ state: "blocked", stateCode: "read_back" });
    expect(await objectsOf(orgId)).toEqual([]);
    expect((await runRetention({ orgIds: [orgId] })).rows).toBe(0);
  });

  it("blocks the archive if a genuine bundle in its place lacks an entry", async () => {
    const { admin, orgId, id } = await archived(2);
    await many(orgId, 1, { timestamp: new Date(daysAgo(100)) });
    await many(orgId, 1);
    await sealedDaysAgo(orgId, 50);
    site.store.after = ({ method, path }) => (method === "PUT" && path.endsWith(".gz") ? "cut" : null);
    await sendAll(id);
    site.store.after = () => null;
    const [[key, stored] = []] = [...site.store.objects].filter(([key]) => key.includes(orgId));
    const last = (await auditRows(orgId)).find(
      ({ chainSeq }) => Number(chainSeq) === Number(/-(\d+)\./.exec(key ?? "")?.[1]),
    );
    const to = new Date(last?.timestamp ?? 0).toISOString();
    const bundle = await call(admin, `GET /audit-logs/evidence?from=${daysAgo(60)}&to=${to}`);
    if (stored) stored.body = gzipSync(bundle.text);
    await sendAll(id);
    expect(await stateOf(admin, id)).toMatchObject({
      state: "blocked",
      stateMessage: expect.stringContaining("It leaves out 1 entries."),
    });
  });

  it("continues after the response to an upload was lost", async () => {
    const { orgId, id } = await archived(5);
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 50);
    site.store.after = ({ method, path }) => (method === "PUT" && path.endsWith(".gz") ? "cut" : null);
    await sendAll(id);
    expect(await objectsOf(orgId)).toEqual([]);
    site.store.after = () => null;
    await sendAll(id);
    const [object] = await objectsOf(orgId);
    expect(site.store.objects.get(object?.key ?? "")?.version).toBeDefined();
    expect((await runRetention({ orgIds: [orgId] })).rows).toBeGreaterThanOrEqual(5);
  });
});

describe("an archive stream", () => {
  it("rejects a filter", async () => {
    const token = await createUser();
    const body = settings({ filter: { action: "user" } });
    expect(await call(token, "POST /streams", body)).toMatchObject({
      status: 400,
      body: { errors: [{ path: "filter" }] },
    });
  });

  it("cannot become another kind of stream or be replayed", async () => {
    const { admin, id } = await archived(1);
    const config = { ...settings().config, archive: false };
    const changed = await call(admin, `PATCH /streams/${id}`, { config });
    expect(changed).toMatchObject({ status: 400, body: { errors: [{ path: "config.archive" }] } });
    const body = { orgId: admin.orgId, fromSeq: 1, toSeq: 1 };
    expect(await call(admin, `POST /streams/${id}/replay`, body)).toMatchObject({ status: 409 });
  });
});
