import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, expect, it } from "vitest";
import { TAIL_POLL_MS } from "@/server/audit/tail/schema";
import { closeStreams, openStreams } from "@/server/ground/background/streams";
import { appendEvents } from "@/testing/audit-entries";
import { bearer, createUser } from "@/testing/factories";
import { answerTrpc } from "./handler";

let unhandled: unknown[] = [];
const note = (error: unknown) => void unhandled.push(error);
beforeEach(() => {
  unhandled = [];
  process.on("unhandledRejection", note);
});
afterEach(() => void process.off("unhandledRejection", note));

/**
 * Opens a live view whose reader takes nothing yet. Two messages wait for it in the streams on the way: tRPC has asked for
 * a third, and does not look at the answer.
 */
async function openUnread(signal?: AbortSignal): Promise<Response> {
  const user = await createUser({ role: "org_admin" });
  const cookie = `trailmark.session=${await bearer(user)}`;
  const url = `http://127.0.0.1:3000/api/trpc/audit.tail?input=${encodeURIComponent("{}")}`;
  const answer = await answerTrpc(new Request(url, { headers: { cookie }, ...(signal && { signal }) }));
  expect(answer.status).toBe(200);
  await expect.poll(openStreams).toBe(1);
  await appendEvents([{ orgId: user.orgId as string }]);
  await sleep(2 * TAIL_POLL_MS);
  return answer;
}

it("reports an interruption to a live view whose last message is still unread", async () => {
  const answer = await openUnread();
  closeStreams();
  await expect.poll(openStreams).toBe(0);
  await sleep(50);
  expect(unhandled).toEqual([]);
  const text = await answer.text();
  expect(text).toContain('"kind":"reload"');
  expect(text).toMatch(/event: serialized-error\ndata: .*The live view was interrupted; it continues automatically\./);
});

it("cleans up a call interrupted just after its reader left", async () => {
  const gone = new AbortController();
  const answer = await openUnread(gone.signal);
  closeStreams();
  gone.abort();
  await answer.body?.cancel().catch(() => {});
  await expect.poll(openStreams).toBe(0);
  await sleep(50);
  expect(unhandled).toEqual([]);
});
