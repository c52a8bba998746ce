import { eq } from "drizzle-orm";
import { describe, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { streamPositions } from "@/db/schema";
import { DEFINITIONS } from "@/server/notify/notifications/kinds";
import type { NotificationKind } from "@/server/notify/vocabulary";
import { auditRows, call, type TestUser } from "@/testing/factories";
import { due, many, send, stateOf, streamSite } from "@/testing/streams";
import { recordDelivered } from "./daily";

const site = streamSite();

describe("the final notice to a receiver", () => {
  it.for([
    ["stream.pause", (token: TestUser, id: string) => call(token, `POST /streams/${id}/pause`)],
    ["stream.delete", (token: TestUser, id: string) => call(token, `DELETE /streams/${id}`)],
    [
      "stream.update",
      (token: TestUser, id: string) =>
        call(token, `PATCH /streams/${id}`, { config: { url: "https://elsewhere.example.test/" } }),
    ],
    [
      "stream.rotate",
      (token: TestUser, id: string) => call(token, `POST /streams/${id}/rotate`, { overlapSeconds: 0 }),
    ],
  ] as const)("%s is sent to the receiver before the request returns", async ([action, change]) => {
    const { admin, orgId, id } = await site.start();
    await many(orgId, 3);
    expect((await change(admin, id)).status).toBeLessThan(300);
    const [told] = site.receiver.entriesOf(orgId);
    expect(told).toMatchObject({ action, resourceId: id, details: { before: expect.anything() } });
    expect(site.receiver.stored.at(-1)).toMatchObject({ type: "trailmark.heartbeat", rows: 1 });
  });

  it("does not block a change when the receiver is gone", async () => {
    const { admin, id } = await site.start();
    site.receiver.answer = () => "cut";
    expect((await call(admin, `POST /streams/${id}/pause`)).body.state).toBe("paused");
  });
});

describe("stream notifications", () => {
  const found = async (kind: NotificationKind, orgId: string) =>
    (await DEFINITIONS[kind].check(new Date())).found.find((one) => one.orgId === orgId);

  it("name failing and blocked streams and undeliverable entries", async () => {
    const { admin, orgId, id } = await site.start();
    const rows = await many(orgId, 1);
    site.receiver.answer = () => ({ status: 503 });
    await send();
    expect(await found("stream.failing", orgId)).toMatchObject({ holds: true, detail: { names: ["SIEM"] } });
    site.receiver.answer = () => ({ status: 401 });
    await due(id);
    await send();
    expect(await found("stream.failing", orgId)).toBeUndefined();
    expect(await found("stream.blocked", orgId)).toMatchObject({ holds: true, detail: { names: ["SIEM"], ids: [id] } });
    site.receiver.answer = ({ lines }) => ({ status: lines.some((line) => line.id === rows[0]?.id) ? 413 : 204 });
    await call(admin, `POST /streams/${id}/resume`);
    await send();
    expect(await found("stream.gap", orgId)).toMatchObject({ holds: true, detail: { count: 1, names: ["SIEM"] } });
  });
});

describe("an idle stream", () => {
  const age = (streamId: string) =>
    asSystem((tx) =>
      tx
        .update(streamPositions)
        .set({ createdAt: new Date(Date.now() - 16 * 60_000), acknowledgedAt: null, heartbeatAt: null })
        .where(eq(streamPositions.streamId, streamId)),
    );

  it("sends a heartbeat every 15 minutes", async () => {
    const { orgId, id } = await site.start();
    await many(orgId, 2);
    await send();
    const before = site.requestsOf(orgId).length;
    await age(id);
    await send();
    const [marker] = site.receiver.markersOf(orgId);
    const expected = { type: "trailmark.heartbeat", first: Number(marker?.last) + 1, last: marker?.last, rows: 0 };
    expect(site.requestsOf(orgId).at(-1)?.lines).toMatchObject([{ ...expected, previous: marker?.digest }]);
    await send();
    expect(site.requestsOf(orgId).length).toBe(before + 1);
  });

  it("shows when the receiver is gone and when it is back", async () => {
    const { admin, orgId, id } = await site.start();
    await many(orgId, 1);
    await send();
    await age(id);
    site.receiver.answer = () => ({ status: 500 });
    await send();
    expect(await stateOf(admin, id)).toMatchObject({ state: "failing", stateCode: "500" });
    site.receiver.answer = () => ({ status: 200 });
    await due(id);
    await send();
    expect(await stateOf(admin, id)).toMatchObject({ state: "active", stateCode: null });
  });

  it("sends a marker when all new entries are filtered out", async () => {
    const { orgId, id } = await site.start({ filter: { result: "denied" } });
    await many(orgId, 2);
    await send();
    await age(id);
    await send();
    const [marker] = site.receiver.markersOf(orgId);
    expect(Number(marker?.last) - Number(marker?.first)).toBeGreaterThanOrEqual(1);
    expect(marker).toMatchObject({ rows: 0, filtered: expect.any(Array) });
  });
});

it("records each day's deliveries once", async () => {
  const { orgId, id } = await site.start();
  await many(orgId, 3);
  await send();
  const [marker] = site.receiver.markersOf(orgId);
  const day = new Date(Math.floor(Date.now() / 86_400_000) * 86_400_000);
  await recordDelivered(day);
  await recordDelivered(day);
  const rows = (await auditRows(orgId)).filter(({ action }) => action === "stream.delivered");
  expect(rows).toMatchObject([{ resourceId: id, details: { batches: 1, rows: marker?.rows, digest: marker?.digest } }]);
});
