import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { answerOf, cancelLive, liveOptions, noticingOffline } from "./use-live-query";

it("shows the previous answer while the next loads, and none after canceling", async () => {
  const client = new QueryClient();
  const observer = new QueryObserver(client, liveOptions({ key: ["first"], run: async () => "first" }));
  const leave = observer.subscribe(() => {});
  const answer = () => answerOf(observer.getCurrentResult());
  await expect.poll(answer).toMatchObject({ data: "first", isRunning: false, wasCancelled: false });
  const next = liveOptions({ key: ["next"], run: () => new Promise<string>(() => {}) });
  observer.setOptions(next);
  expect(answer()).toMatchObject({ data: "first", answeredAt: null, isRunning: true, wasCancelled: false });
  await cancelLive(client, next.queryKey);
  await expect.poll(answer).toMatchObject({ data: undefined, answeredAt: null, isRunning: false, wasCancelled: true });
  leave();
  client.clear();
});

it("keeps the answer and its time when a repeated query is canceled", async () => {
  const client = new QueryClient();
  let asked = 0;
  const run = () => (asked++ === 0 ? Promise.resolve("old") : new Promise<string>(() => {}));
  const options = liveOptions({ key: ["again"], run });
  const observer = new QueryObserver(client, options);
  const leave = observer.subscribe(() => {});
  const answer = () => answerOf(observer.getCurrentResult());
  await expect.poll(answer).toMatchObject({ data: "old", wasCancelled: false });
  const { answeredAt } = answer();
  expect(Date.parse(answeredAt ?? "")).toBeLessThanOrEqual(Date.now());
  void observer.refetch();
  expect(answer()).toMatchObject({ data: "old", answeredAt, isRunning: true, wasCancelled: false });
  await cancelLive(client, options.queryKey);
  const cancelled = { data: "old", answeredAt, error: null, isRunning: false, wasCancelled: true };
  await expect.poll(answer).toEqual(cancelled);
  expect(observer.shouldFetchOnWindowFocus()).toBe(false);
  observer.setOptions(liveOptions({ key: ["other"], run: async () => "other" }));
  await expect.poll(answer).toMatchObject({ data: "other" });
  observer.setOptions(options);
  expect(answer()).toEqual(cancelled);
  expect(asked).toBe(2);
  leave();
  client.clear();
});

it("reports an offline device, but not other errors", async () => {
  let told = 0;
  const failing = (code: string) =>
    noticingOffline(
      () => Promise.reject({ data: { problem: { code } } }),
      () => told++,
    )(new AbortController().signal);
  await expect(failing("agent_timeout")).rejects.toMatchObject({ data: { problem: { code: "agent_timeout" } } });
  expect(told).toBe(0);
  await expect(failing("device_offline")).rejects.toBeDefined();
  expect(told).toBe(1);
});
