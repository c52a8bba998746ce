import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { dataStreams } from "@/db/schema";
import { runRetention } from "@/server/retention/run";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo } from "@/testing/chain";
import { auditRows, call, createUser } from "@/testing/factories";
import { keepFor } from "@/testing/permit";
import { due, send, streamSite } from "@/testing/streams";

const site = streamSite();

/** A customer's administrator, with five entries of 100 days ago and a window of 30. */
async function withExpired() {
  const admin = await createUser();
  const orgId = admin.orgId as string;
  const timestamp = new Date(daysAgo(100));
  await appendEvents(Array.from({ length: 5 }, () => ({ orgId, timestamp })));
  await keepFor(orgId, 30);
  return { admin, orgId };
}

const prune = async (orgId: string) => (await runRetention({ orgIds: [orgId] })).rows;

it("retention waits for a holding stream and continues after it", async () => {
  const { admin, orgId } = await withExpired();
  await site.createActive(admin, { start: "beginning", holdDays: 365 });
  expect(await prune(orgId)).toBe(0);
  await send();
  expect(await prune(orgId)).toBe(5);
});

it("retention waits at most for the stream's hold time", async () => {
  const { admin, orgId } = await withExpired();
  await site.createActive(admin, { start: "beginning", holdDays: 60 });
  expect(await prune(orgId)).toBe(5);
});

it("retention does not wait for an unchecked stream or one that does not hold", async () => {
  const { admin, orgId } = await withExpired();
  await site.create(admin, { start: "beginning", holdDays: 365 });
  await site.createActive(admin, { start: "beginning" });
  expect(await prune(orgId)).toBe(5);
});

it("entries pruned before sending are recorded, listed and reported to the receiver as a gap", async () => {
  const { admin, orgId } = await withExpired();
  const { id } = await site.createActive(admin, { start: "beginning" });
  site.receiver.answer = () => ({ status: 503 });
  await send();
  await prune(orgId);
  site.receiver.answer = () => ({ status: 204 });
  await asSystem((tx) => tx.update(dataStreams).set({ state: "active" }).where(eq(dataStreams.id, id)));
  await due(id);
  await send();
  const { body } = await call(admin, `GET /streams/${id}/gaps`);
  expect(body.data).toMatchObject([{ orgId, first: 1, last: 5, reason: "retention" }]);
  expect(site.receiver.markersOf(orgId).find((line) => line.first === 6)).toMatchObject({ gap: { first: 1, last: 5 } });
  const gap = (await auditRows(orgId)).find(({ action }) => action === "stream.gap");
  expect(gap).toMatchObject({ resourceId: id, details: { first: 1, last: 5 } });
});
