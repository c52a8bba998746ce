import { QueryClient, QueryObserver } from "@tanstack/react-query";
import { expect, it } from "vitest";
import { answerOf, liveOptions } from "./use-live-query";

it("shows the previous answer while the next one comes, and none once that is cancelled", async () => {
  const client = new QueryClient();
  const observer = new QueryObserver(client, liveOptions({ key: ["first"], run: async () => "first" }));
  const leave = observer.subscribe(() => {});
  const answer = () => answerOf(observer.getCurrentResult());
  await expect.poll(answer).toMatchObject({ data: "first", isRunning: false, wasCancelled: false });
  const next = liveOptions({ key: ["next"], run: () => new Promise<string>(() => {}) });
  observer.setOptions(next);
  expect(answer()).toMatchObject({ data: "first", isRunning: true, wasCancelled: false });
  await client.cancelQueries({ queryKey: next.queryKey });
  expect(answer()).toMatchObject({ data: undefined, isRunning: false, wasCancelled: true });
  leave();
  client.clear();
});
