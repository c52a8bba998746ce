import { expect, it } from "vitest";
import { batchLoader } from "./batch-loader";

it("batches concurrent loads and answers each with data read after its request", async () => {
  const queries: string[][] = [];
  const ends: (() => void)[] = [];
  let world = 1;
  const load = batchLoader(async (keys) => {
    queries.push(keys);
    await new Promise<void>((resolve) => ends.push(resolve));
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, `${key}${world}`]));
  });
  const first = load("a");
  const rest = [load("b"), load("b"), load("unknown"), load("a")];
  expect(queries).toEqual([["a"]]);
  ends[0]?.();
  expect(await first).toBe("a1");
  await expect.poll(() => queries.length).toBe(2);
  world = 2;
  ends[1]?.();
  expect(await Promise.all(rest)).toEqual(["b2", "b2", undefined, "a2"]);
  expect(queries).toEqual([["a"], ["b", "unknown", "a"]]);
});

it("a failed query rejects only the callers waiting for it", async () => {
  let fails = true;
  const load = batchLoader(async (keys) => {
    if (fails) throw new Error("away");
    return new Map(keys.map((key) => [key, key]));
  });
  await expect(load("a")).rejects.toThrow("away");
  fails = false;
  expect(await load("a")).toBe("a");
});
