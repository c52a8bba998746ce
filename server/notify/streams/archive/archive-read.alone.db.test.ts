import { gunzipSync, gzipSync } from "node:zlib";
import { describe, expect, it } from "vitest";
import { runRetention } from "@/server/retention/run";
import { sealedDaysAgo } from "@/testing/chain";
import { auditRows, call, createUser } from "@/testing/factories";
import { makeDue, workOff } from "@/testing/jobs";
import { keepFor } from "@/testing/permit";
import { archiveSite, objectsOf } from "@/testing/streams/archive";
import { restorationEnd, restoreJob } from "./restore";
import { objectPage, restorationPage, restoredPage } from "./schema";

const site = archiveSite();
const { twoObjects } = site;
type Caller = Awaited<ReturnType<typeof createUser>>;
const manifestOf = (key: string) => key.replace(".ndjson.gz", ".manifest.json");

describe("archived objects", () => {
  it("are listed with their range and whether the log still has the entries", async () => {
    const { admin, orgId, first, second } = await twoObjects();
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 50);
    await runRetention({ orgIds: [orgId] });
    const { data } = objectPage.parse((await call(admin, "GET /archive/objects")).body);
    expect(data).toMatchObject([
      { first: second.firstSeq, state: "intact", inLog: true, continues: true },
      { first: 1, last: first.lastSeq, state: "intact", fault: null, inLog: false, continues: true },
    ]);
    const part = await call(admin, `GET /archive/objects?fromSeq=1&toSeq=${first.lastSeq}`);
    expect(objectPage.parse(part.body).data.map(({ id }) => id)).toEqual([first.id]);
  });

  it("are hidden from other organizations", async () => {
    await twoObjects();
    const stranger = await createUser();
    expect((await call(stranger, "GET /archive/objects")).body).toMatchObject({ data: [] });
  });
});

describe("verifying an archived object", () => {
  const verify = (token: Caller, id: string) => call(token, `POST /archive/objects/${id}/verify`);

  it("reads it from the store again and records the result", async () => {
    const { admin, orgId, first } = await twoObjects();
    expect(await verify(admin, first.id)).toMatchObject({ status: 200, body: { state: "intact", fault: null } });
    expect((await auditRows(orgId)).at(-1)).toMatchObject({ action: "archive.verify", result: "success" });
  });

  it.each<[string, (key: string) => void, RegExp]>([
    ["a missing object", (key) => site.store.objects.delete(key), /no longer/],
    ["a missing manifest", (key) => site.store.objects.delete(manifestOf(key)), /manifest is gone/],
    [
      "a changed manifest",
      (key) => {
        const found = site.store.objects.get(manifestOf(key));
        if (found) found.body = Buffer.from(found.body.toString().replace('"rows":', '"rows":1'));
      },
      /manifest is not/,
    ],
    [
      "a changed entry",
      (key) => {
        const found = site.store.objects.get(key);
        if (!found) return;
        const text = gunzipSync(found.body).toString().replace('"result":"success"', '"result":"failure"');
        found.body = gzipSync(text);
      },
      /altered/,
    ],
  ])("detects %s", async (_, damage, words) => {
    const { admin, first } = await twoObjects();
    damage(first.key);
    const { status, body } = await verify(admin, first.id);
    expect(status).toBe(200);
    expect(body).toMatchObject({ state: "damaged", fault: expect.stringMatching(words) });
  });

  it("returns no verdict when the store is unreachable", async () => {
    const { admin, first } = await twoObjects();
    site.store.before = () => ({ status: 503 });
    expect(await verify(admin, first.id)).toMatchObject({ status: 503 });
    expect((await objectsOf(first.orgId))[0]).toMatchObject({ fault: null });
  });
});

describe("restoring an archived range", () => {
  const start = (token: Caller, body: object) => call(token, "POST /archive/restore", body);
  const entriesOf = (token: Caller, id: string, query = "") =>
    call(token, `GET /archive/restore/${id}/entries${query}`);
  const restorations = async (token: Caller) =>
    restorationPage.parse((await call(token, "GET /archive/restore")).body).data;

  it("makes pruned entries available beside the log for a day", async () => {
    const { admin, orgId, first } = await twoObjects();
    const before = (await auditRows(orgId)).slice(0, 4).map(({ id, checksum }) => ({ id, checksum }));
    await keepFor(orgId, 30);
    await sealedDaysAgo(orgId, 50);
    expect((await runRetention({ orgIds: [orgId] })).rows).toBeGreaterThan(0);
    const answer = await start(admin, { fromSeq: 1, toSeq: 4 });
    expect(answer).toMatchObject({ status: 202, body: { first: 1, last: 4, state: "running" } });
    await workOff(restoreJob);
    const { id } = answer.body;
    expect(await restorations(admin)).toMatchObject([{ id, state: "ready", rows: 4 }]);
    const { body } = await entriesOf(admin, id);
    const restored = restoredPage.parse(body).data.sort((a, b) => a.chainSeq - b.chainSeq);
    expect(restored.map(({ id, checksum }) => ({ id, checksum }))).toEqual(before);
    expect((await entriesOf(admin, id, "?q=nothing-like-it")).body).toMatchObject({
      data: [],
      pagination: { total: 0 },
    });
    expect((await auditRows(orgId)).some(({ id }) => id === before[0]?.id)).toBe(false);
    expect((await auditRows(orgId)).filter(({ action }) => action === "archive.restore")).toHaveLength(1);
    await makeDue(restorationEnd, id);
    await workOff(restorationEnd);
    expect(await restorations(admin)).toEqual([]);
    expect((await entriesOf(admin, id)).status).toBe(404);
    expect(first.firstSeq).toBe(1);
  });

  it("stores nothing of a damaged object and names it", async () => {
    const { admin, first } = await twoObjects();
    site.store.objects.delete(first.key);
    const { body } = await start(admin, { from: first.firstAt.toISOString(), to: first.lastAt.toISOString() });
    await workOff(restoreJob);
    const [found] = await restorations(admin);
    expect(found).toMatchObject({ state: "failed", rows: 0, error: expect.stringContaining(first.key) });
    expect((await entriesOf(admin, body.id)).body).toMatchObject({ data: [] });
  });

  it("retries while the store is unreachable", async () => {
    const { admin } = await twoObjects();
    site.store.before = () => ({ status: 503 });
    const { body } = await start(admin, { fromSeq: 1, toSeq: 2 });
    await workOff(restoreJob);
    expect(await restorations(admin)).toMatchObject([{ state: "running" }]);
    site.store.before = () => null;
    await makeDue(restoreJob, body.id);
    await workOff(restoreJob);
    expect(await restorations(admin)).toMatchObject([{ state: "ready", rows: 2 }]);
  });

  it.each([
    [{ fromSeq: 900, toSeq: 901 }, "fromSeq"],
    [{ fromSeq: 3, toSeq: 2 }, "fromSeq"],
    [{ from: "2001-01-01T00:00:00Z", to: "2001-01-02T00:00:00Z" }, "from"],
  ])("rejects the range %j", async (body, path) => {
    const { admin } = await twoObjects();
    expect(await start(admin, body)).toMatchObject({ status: 400, body: { errors: [{ path }] } });
  });

  it("is denied to other organizations", async () => {
    const { admin, orgId } = await twoObjects();
    const { body } = await start(admin, { fromSeq: 1, toSeq: 1 });
    const stranger = await createUser();
    expect((await entriesOf(stranger, body.id)).status).toBe(404);
    expect((await start(stranger, { orgId, fromSeq: 1, toSeq: 1 })).status).toBe(403);
  });
});
