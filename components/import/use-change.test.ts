import { QueryClient } from "@tanstack/react-query";
import { expect, it } from "vitest";
import type { ImportState } from "@/server/custom-fields/import/schema";
import { showChanged } from "./use-change";

const queryKey = [["imports", "get"]];
const state = (revision: string) => ({ revision }) as ImportState;

it("a response to an earlier request does not overwrite a change", async () => {
  const cache = new QueryClient();
  cache.setQueryData(queryKey, state("before"));
  let answer = (_: ImportState) => {};
  const queryFn = () =>
    new Promise<ImportState>((resolve) => {
      answer = resolve;
    });
  const poll = cache.fetchQuery({ queryKey, queryFn });
  showChanged(cache, { queryKey }, state("after"));
  answer(state("before"));
  await poll;
  expect(cache.getQueryData(queryKey)).toEqual(state("after"));
  expect(cache.isFetching({ queryKey })).toBe(0);
});

it("a response to a later request is shown", async () => {
  const cache = new QueryClient();
  showChanged(cache, { queryKey }, state("unseen"));
  expect(cache.getQueryData(queryKey)).toBeUndefined();
  cache.setQueryData(queryKey, state("before"));
  showChanged(cache, { queryKey }, (old) => old && { ...old, revision: `${old.revision}, changed` });
  expect(cache.getQueryData(queryKey)).toEqual(state("before, changed"));
  await cache.fetchQuery({ queryKey, queryFn: () => state("later") });
  expect(cache.getQueryData(queryKey)).toEqual(state("later"));
});
