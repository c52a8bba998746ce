import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect } from "vitest";
import { asSystem } from "@/db/client";
import { streamPositions } from "@/db/schema";
import { newId } from "@/server/ground/ids";
import { wakeStreams } from "@/server/notify/streams/positions";
import { checkResult, createdStream, stream } from "@/server/notify/streams/schema";
import { streamJob } from "@/server/notify/streams/send";
import { appendEvents } from "./audit-entries";
import { call, createUser, type TestUser } from "./factories";
import { workOff } from "./jobs";
import { withSettings } from "./settings";
import { type StreamReceiver, startStreamReceiver } from "./stream-receiver";

export async function send(): Promise<void> {
  await wakeStreams();
  await workOff(streamJob);
}

export const stateOf = async (token: TestUser, id: string) =>
  stream.parse((await call(token, `GET /streams/${id}`)).body);

/** Makes a stream's next attempt due. */
export const due = (streamId: string) =>
  asSystem((tx) =>
    tx
      .update(streamPositions)
      .set({ nextAttemptAt: new Date(0) })
      .where(eq(streamPositions.streamId, streamId)),
  );

export const many = (orgId: string, count: number, over: object = {}) =>
  appendEvents(Array.from({ length: count }, () => ({ orgId, id: newId(), ...over })));

/** A receiver on loopback for a test file, and streams to it. */
export function streamSite() {
  let receiver: StreamReceiver;
  beforeAll(async () => {
    withSettings({ TRAILMARK_WEBHOOKS_PRIVATE: true, TRAILMARK_WEBHOOKS_HTTP: true });
    receiver = await startStreamReceiver();
  });
  afterAll(() => receiver.close());
  const forget = () => {
    receiver.received.length = 0;
    receiver.stored.length = 0;
  };
  beforeEach(() => {
    receiver.answer = () => ({ status: 204 });
    forget();
  });

  async function create(token: TestUser, over: object = {}) {
    const body = { name: "SIEM", kind: "https", config: { url: receiver.url }, ...over };
    const answer = await call(token, "POST /streams", body);
    expect(answer.status, answer.text).toBe(201);
    return createdStream.parse(answer.body);
  }

  async function createActive(token: TestUser, over: object = {}) {
    const created = await create(token, over);
    const { body } = await call(token, `POST /streams/${created.id}/check`);
    expect(checkResult.parse(body)).toMatchObject({ ok: true, stream: { state: "active" } });
    forget();
    return created;
  }

  return {
    get receiver() {
      return receiver;
    },
    create,
    createActive,
    /** A customer's administrator with an active stream. */
    start: async (over: object = {}) => {
      const admin = await createUser();
      return { ...(await createActive(admin, over)), admin, orgId: admin.orgId as string };
    },
    /** Ids of an organization's entries that the receiver has stored. */
    idsOf: (orgId: string) => receiver.entriesOf(orgId).map(({ id }) => id),
    /** Requests about an organization: other tests' streams use the same receiver. */
    requestsOf: (orgId: string | null) =>
      receiver.received.filter(({ lines }) => lines.some((line) => line.orgId === orgId)),
  };
}
