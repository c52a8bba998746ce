import { createServer, type ServerResponse } from "node:http";
import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { notificationDeliveries as t, webhookEndpoints } from "@/db/schema";
import { call, changeRows, createUser, rowsIn } from "@/testing/factories";
import { waiting } from "@/testing/held-rows";
import { workOff } from "@/testing/jobs";
import { listen, portOf } from "@/testing/port-of";
import { withSettings } from "@/testing/settings";
import { claim } from "./claim";
import { deliveryJob, settle } from "./settle";

/** Endpoints get longer than a test waits for anything: an attempt ends when the test answers it. */
const delivery = deliveryJob(120_000);

/** Posts that wait for their answer, or have had it. */
const posts: ServerResponse[] = [];
const receiver = createServer((_, response) => posts.push(response));
beforeAll(async () => {
  withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
  await listen(receiver);
});
afterAll(() => {
  receiver.closeAllConnections();
  receiver.close();
});
beforeEach(() => {
  posts.length = 0;
});

const posted = (count: number) => expect.poll(() => posts.length).toBe(count);
const answer = (index: number, status: number) => posts[index]?.writeHead(status).end();

/** A message to an endpoint, after so many failed attempts. */
async function arrange(attempts = 0) {
  const admin = await createUser();
  const url = `http://127.0.0.1:${portOf(receiver)}/hook`;
  const { id } = (await call(admin, "POST /webhooks", { name: "Desk", url, kinds: ["chain.broken"] })).body;
  const message = (await call(admin, `POST /webhooks/${id}/test`)).body.id;
  await changeRows(t, { id: message }, { attempts, nextAttemptAt: new Date(0) });
  const rowOf = async () => (await rowsIn(t, { id: message }))[0];
  const endpointOf = async () => (await rowsIn(webhookEndpoints, { id }))[0];
  const resend = () => call(admin, `POST /deliveries/${message}/resend`);
  const patch = (body: object) => call(admin, `PATCH /webhooks/${id}`, body);
  const remove = () => call(admin, `DELETE /webhooks/${id}`);
  return { id, message, url, rowOf, endpointOf, resend, patch, remove };
}

it.each([
  ["first", 0],
  ["last", 9],
])("the %s attempt failing after a successful resend changes nothing", async (_, attempts) => {
  const { rowOf, endpointOf, resend } = await arrange(attempts);
  const works = [workOff(delivery)];
  await posted(1);
  expect((await resend()).status).toBe(200);
  works.push(workOff(delivery));
  await posted(2);
  answer(1, 204);
  await expect.poll(async () => (await rowOf())?.status).toBe("delivered");
  answer(0, 503);
  await Promise.all(works);
  expect(await rowOf()).toMatchObject({ status: "delivered", responseCode: 204, error: null, nextAttemptAt: null });
  expect(await endpointOf()).toMatchObject({ failingSince: null });
  expect(posts).toHaveLength(2);
});

it("a resend during the last attempt goes out even if that attempt fails", async () => {
  const { rowOf, resend } = await arrange(9);
  const work = workOff(delivery);
  await posted(1);
  await resend();
  answer(0, 503);
  await posted(2);
  answer(1, 204);
  await work;
  expect(await rowOf()).toMatchObject({ status: "delivered", attempts: 1 });
});

it("an attempt taken over by another process only reports success", async () => {
  const { message, rowOf } = await arrange();
  const take = async () => {
    const claimed = await claim(message);
    if (!claimed) throw new Error("the message does not wait");
    return claimed;
  };
  const [first, second] = [await take(), await take()];
  const [failed, delivered] = [
    { status: 503, error: "The endpoint answered 503." },
    { status: 204, error: null },
  ];
  await settle(first, failed);
  expect(await rowOf()).toMatchObject({ status: "pending", error: null, nextAttemptAt: expect.any(Date) });
  await settle(first, delivered);
  await settle(second, failed);
  expect(await rowOf()).toMatchObject({ status: "delivered", error: null });
});

it("a 410 from the old URL does not count against the new one", async () => {
  const { url, rowOf, endpointOf, patch } = await arrange();
  const work = workOff(delivery);
  await posted(1);
  expect((await patch({ url: `${url}/new` })).status).toBe(200);
  answer(0, 410);
  await work;
  expect(await rowOf()).toMatchObject({ responseCode: 410 });
  expect(await endpointOf()).toMatchObject({ disabledAt: null, disabledByFailure: false, failingSince: null });
});

it("an endpoint can be deleted while a delivery attempt is recorded", async () => {
  const { id, message, endpointOf, remove } = await arrange();
  let removal: ReturnType<typeof remove> | undefined;
  await asSystem(async (tx) => {
    await tx.update(t).set({ error: null }).where(eq(t.id, message));
    // PostgreSQL ends either transaction of the deadlock. Where it is this one, it runs again after the removal.
    if (!removal) {
      removal = remove();
      await expect.poll(waiting).toBeGreaterThan(0);
    }
    await tx.update(webhookEndpoints).set({ failingSince: null }).where(eq(webhookEndpoints.id, id));
  });
  expect((await removal)?.status).toBe(204);
  expect(await endpointOf()).toBeUndefined();
});
