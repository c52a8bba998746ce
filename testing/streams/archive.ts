import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { asSystem } from "@/db/client";
import { archiveObjects } from "@/db/schema/index";
import { flushRecording } from "@/server/audit/record/record";
import { createdStream } from "@/server/notify/streams/schema";
import { appendEvents } from "@/testing/audit-entries";
import { daysAgo, sealedDaysAgo } from "@/testing/chain";
import { call, createUser, type TestUser } from "@/testing/factories";
import { signedDaysAgo } from "@/testing/permit";
import { withSettings } from "@/testing/settings";
import { due, many, send } from "@/testing/streams";
import { STORE, startStrictS3 } from "./strict-s3";

export const objectsOf = (orgId: string) =>
  asSystem((tx) =>
    tx.select().from(archiveObjects).where(eq(archiveObjects.orgId, orgId)).orderBy(archiveObjects.firstSeq),
  );

/** Sends all due entries of a stream. */
export async function sendAll(id: string) {
  await due(id);
  await send();
  await flushRecording();
}

/** A store on loopback for a test file, and archives in it. */
export function archiveSite() {
  let store: Awaited<ReturnType<typeof startStrictS3>>;
  beforeAll(async () => {
    withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
    store = await startStrictS3();
  });
  afterAll(async () => {
    await store.close();
  });
  beforeEach(() => {
    store.before = () => null;
    store.after = () => null;
  });

  const { secret, ...place } = STORE;
  const settings = (over: object = {}) => ({
    name: "Archive",
    kind: "s3",
    config: { ...place, endpoint: store.url, archive: true, lock: { mode: "compliance", days: 400 } },
    secret,
    ...over,
  });

  /** An active archive of a new organization. */
  async function archiveOf(token: TestUser) {
    const answer = await call(token, "POST /streams", settings());
    expect(answer.status, answer.text).toBe(201);
    const created = createdStream.parse(answer.body);
    const checked = await call(token, `POST /streams/${created.id}/check`);
    expect(checked.body).toMatchObject({ ok: true });
    await flushRecording();
    return created;
  }

  /** An organization with entries of 50 days ago, sealed then, and its archive. */
  async function archived(count: number) {
    const admin = await createUser();
    const orgId = admin.orgId as string;
    const timestamp = new Date(daysAgo(50));
    await appendEvents(Array.from({ length: count }, () => ({ orgId, timestamp })));
    await signedDaysAgo(orgId, 50);
    const { id } = await archiveOf(admin);
    await sealedDaysAgo(orgId, 50);
    return { admin, orgId, id };
  }

  /** An archive of two objects, the first with four entries of 50 days ago. */
  async function twoObjects() {
    const made = await archived(4);
    await sendAll(made.id);
    await many(made.orgId, 3);
    await sealedDaysAgo(made.orgId, 2);
    await sendAll(made.id);
    const [first, second] = await objectsOf(made.orgId);
    if (!first || !second) throw new Error("two objects were expected");
    return { ...made, first, second };
  }

  return {
    get store() {
      return store;
    },
    settings,
    archived,
    twoObjects,
  };
}
