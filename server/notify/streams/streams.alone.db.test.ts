import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { leafOf } from "@/server/evidence/checkpoints/hashing";
import { sha256 } from "@/server/evidence/tree/note-tools";
import { decompose, TreeFold } from "@/server/evidence/tree/tree";
import { auditRows, call, createOrg, createPartner, createUser } from "@/testing/factories";
import { startHttpDouble } from "@/testing/http-double";
import { due, many, send, stateOf, streamSite } from "@/testing/streams";
import { pauseAfter } from "./settle";

const site = streamSite();
const seqsOf = (orgId: string) => site.receiver.entriesOf(orgId).map(({ chainSeq }) => chainSeq);

describe("HTTPS stream", () => {
  it("sends new entries in order, signed, followed by a marker", async () => {
    const { admin, orgId, id, secret } = await site.start();
    const rows = await many(orgId, 3, { details: { n: 1.1 } });
    await send();
    const [request] = site.requestsOf(orgId);
    if (!request || !secret) throw new Error("nothing was received");
    const { "webhook-id": batchId, "webhook-timestamp": seconds, "webhook-signature": signature } = request.headers;
    const signed = createHmac("sha256", Buffer.from(secret.slice(6), "base64")).update(`${batchId}.${seconds}.`);
    expect(signature).toBe(`v1,${signed.update(request.raw).digest("base64")}`);
    const entries = site.receiver.entriesOf(orgId);
    expect(entries.slice(-3).map((line) => line.id)).toEqual(rows.map((row) => row.id));
    const [marker] = site.receiver.markersOf(orgId);
    const hash = createHash("sha256").update("\n");
    for (const line of entries) hash.update(`${line.chainSeq} ${line.checksum}\n`);
    expect(marker).toMatchObject({ rows: entries.length, filtered: [], previous: null, digest: hash.digest("hex") });
    expect(await stateOf(admin, id)).toMatchObject({ state: "active", lag: { entries: 0, seconds: 0 } });
    const { body } = await call(admin, `GET /streams/${id}/batches`);
    expect(body.data).toMatchObject([{ rows: entries.length, attempts: 1, receipt: { status: 204 } }]);
  });

  it("resends the same batch after a lost response, and nothing twice afterwards", async () => {
    const { admin, orgId, id } = await site.start();
    await many(orgId, 2);
    site.receiver.answer = () => "cut";
    await send();
    expect(await stateOf(admin, id)).toMatchObject({ state: "failing", stateCode: "ECONNRESET" });
    await many(orgId, 2);
    site.receiver.answer = () => ({ status: 204 });
    await due(id);
    await send();
    const [first, again] = site.requestsOf(orgId);
    expect(again?.raw.equals(first?.raw ?? Buffer.of())).toBe(true);
    expect(again?.headers["webhook-id"]).toBe(first?.headers["webhook-id"]);
    const ids = site.idsOf(orgId);
    expect(ids.length - new Set(ids).size).toBe(first && first.lines.length - 1);
    expect(await stateOf(admin, id)).toMatchObject({ state: "active", lag: { entries: 0 } });
  });

  it.for([401, 403, 404, 301])("blocks after %d and loses nothing", async (status) => {
    const { admin, orgId, id } = await site.start();
    const rows = await many(orgId, 2);
    site.receiver.answer = () => ({ status, body: "no such token" });
    await send();
    expect(await stateOf(admin, id)).toMatchObject({ state: "blocked", stateCode: String(status) });
    await send();
    expect(site.requestsOf(orgId).length).toBe(1);
    site.receiver.answer = () => ({ status: 200 });
    await call(admin, `POST /streams/${id}/check`);
    await send();
    expect(site.idsOf(orgId)).toEqual(expect.arrayContaining(rows.map((row) => row.id)));
    expect((await auditRows(orgId)).map(({ action }) => action)).toContain("stream.block");
  });

  it("halves a batch that is too large and sets a single oversized entry aside", async () => {
    const { admin, orgId, id } = await site.start();
    const rows = await many(orgId, 6);
    const tooLarge = rows[3]?.id;
    site.receiver.answer = ({ lines }) => ({
      status: lines.length > 4 || lines.some((line) => line.id === tooLarge) ? 413 : 204,
    });
    await send();
    const ids = site.idsOf(orgId);
    expect(ids).toEqual(expect.arrayContaining(rows.map((row) => row.id).filter((one) => one !== tooLarge)));
    expect(ids).not.toContain(tooLarge);
    const { body } = await call(admin, `GET /streams/${id}/gaps`);
    expect(body.data).toMatchObject([{ orgId, reason: "refused" }]);
  });

  it("splits filtered entries into several batches for short marker lines", async () => {
    const double = await startHttpDouble();
    const more = { format: "cef", filter: { result: "denied" }, config: { url: double.url } };
    const { orgId } = await site.start(more);
    double.received.length = 0;
    await many(orgId, 90);
    await many(orgId, 1, { result: "denied" });
    await send();
    const lines = double.received.flatMap(({ text }) => text.split("\n"));
    const markers = lines.flatMap((line) => /"filtered":(\[.*?\]\]|\[\])/.exec(line)?.[1] ?? []);
    const filtered = markers.flatMap((text) => JSON.parse(text));
    expect(markers.length).toBeGreaterThan(2);
    expect(Math.max(...markers.map((text) => JSON.parse(text).length))).toBeLessThanOrEqual(40);
    expect(new Set(filtered.map(([seq]) => seq)).size).toBe(filtered.length);
    expect(filtered.length).toBeGreaterThanOrEqual(90);
    expect(lines.filter((line) => line.includes("outcome=denied"))).toHaveLength(1);
    await double.close();
  });

  it("omits filtered entries and proves it", async () => {
    const { orgId } = await site.start({ filter: { result: "denied" } });
    await many(orgId, 2);
    await send();
    expect(site.requestsOf(orgId).length).toBe(0);
    const [denied] = await many(orgId, 1, { result: "denied" });
    await send();
    expect(site.idsOf(orgId)).toEqual([denied?.id]);
    const [marker] = site.receiver.markersOf(orgId);
    const { filtered, first, last } = marker as unknown as {
      filtered: [number, string][];
      first: number;
      last: number;
    };
    expect(filtered.length).toBe(last - first);
    const hash = createHash("sha256").update("\n");
    const all = [...filtered, ...site.receiver.entriesOf(orgId).map((line) => [line.chainSeq, line.checksum] as const)];
    for (const [seq, checksum] of all.sort(([a], [b]) => Number(a) - Number(b))) hash.update(`${seq} ${checksum}\n`);
    expect(marker?.digest).toBe(hash.digest("hex"));
  });

  it("proves a start in the middle of the log by the preceding hashes", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    await many(orgId, 5);
    await site.createActive(admin);
    await many(orgId, 1);
    await send();
    const [marker] = site.receiver.markersOf(orgId);
    const { first, before = [] } = marker as unknown as { first: number; before?: string[] };
    const fold = new TreeFold(sha256);
    for (const [i, { height }] of decompose(0, first - 1).entries())
      fold.push(height, Buffer.from(before[i] ?? "", "base64"));
    const whole = new TreeFold(sha256);
    const earlier = (await auditRows(orgId)).filter(({ chainSeq }) => Number(chainSeq) < first);
    for (const { checksum } of earlier.sort((a, b) => Number(a.chainSeq) - Number(b.chainSeq)))
      whole.push(0, leafOf(checksum ?? ""));
    expect(first).toBeGreaterThan(5);
    expect(Buffer.from(fold.root()).toString("hex")).toBe(Buffer.from(whole.root()).toString("hex"));
  });

  it("stops while paused and resumes at the same position", async () => {
    const { admin, orgId, id } = await site.start();
    await send();
    await call(admin, `POST /streams/${id}/pause`);
    const rows = await many(orgId, 2);
    site.receiver.stored.length = 0;
    await send();
    expect(site.receiver.entriesOf(orgId)).toEqual([]);
    expect((await call(admin, `POST /streams/${id}/pause`)).status).toBe(409);
    await call(admin, `POST /streams/${id}/resume`);
    await send();
    expect(site.idsOf(orgId)).toEqual(expect.arrayContaining(rows.map((row) => row.id)));
  });

  it("is disabled by 410", async () => {
    const { admin, orgId, id } = await site.start();
    await many(orgId, 1);
    site.receiver.answer = () => ({ status: 410 });
    await send();
    expect(await stateOf(admin, id)).toMatchObject({ state: "disabled", stateCode: "410" });
  });

  it("replays part of the log without moving the live position", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    await many(orgId, 5);
    const { id } = await site.createActive(admin);
    await send();
    site.receiver.stored.length = 0;
    const body = { orgId, fromSeq: 2, toSeq: 4 };
    expect((await call(admin, `POST /streams/${id}/replay`, body)).status).toBe(202);
    await send();
    expect(site.receiver.markersOf(orgId).filter((line) => line.replay)).toMatchObject([
      { first: 2, last: 4, rows: 3 },
    ]);
    expect(seqsOf(orgId)).toEqual(expect.arrayContaining([2, 3, 4]));
    const past = { orgId, fromSeq: 2, toSeq: 4_000 };
    expect((await call(admin, `POST /streams/${id}/replay`, past)).body.errors).toMatchObject([{ path: "toSeq" }]);
  });

  it("starts at the oldest entry, or the oldest of a given time", async () => {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const [first] = await many(orgId, 1, { timestamp: new Date("2026-01-01T00:00:00Z") });
    const [second] = await many(orgId, 1, { timestamp: new Date("2026-02-01T00:00:00Z") });
    await site.createActive(admin, { start: "beginning" });
    await send();
    expect(site.receiver.entriesOf(orgId)[0]?.id).toBe(first?.id);
    site.receiver.stored.length = 0;
    await site.createActive(admin, { start: "2026-01-15T00:00:00Z" });
    await send();
    expect(site.idsOf(orgId)).toContain(second?.id);
  });
});

describe("partner stream", () => {
  it("carries every organization, including new ones from their first entry", async () => {
    const partner = await createPartner();
    const { id: before } = await createOrg({ partnerId: partner.id });
    const admin = await createUser({ partnerId: partner.id, role: "partner_admin" });
    const { id } = await site.createActive(admin);
    const { id: later } = await createOrg({ partnerId: partner.id });
    const rows = [...(await many(before, 2)), ...(await many(later, 2))];
    await send();
    const ids = [before, later].flatMap((orgId) => site.idsOf(orgId));
    expect(ids).toEqual(expect.arrayContaining(rows.map((row) => row.id)));
    const customer = await createUser({ orgId: before, partnerId: partner.id, role: "org_admin" });
    const shown = await stateOf(customer, id);
    expect(shown).toMatchObject({ orgId: null, config: null, target: new URL(site.receiver.url).host });
    expect((await call(customer, `POST /streams/${id}/pause`)).status).toBe(403);
  });
});

it("retry pauses grow from 1 to 300 seconds with jitter", () => {
  expect([1, 2, 3, 9, 20].map((attempts) => pauseAfter(attempts, 1))).toEqual([1_000, 2_000, 4_000, 256_000, 300_000]);
  expect(pauseAfter(3, 0)).toBe(2_000);
});
