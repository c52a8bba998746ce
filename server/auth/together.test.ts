import { expect, it } from "vitest";
import { together } from "./together";

it("asks at once, gathers what comes meanwhile, and answers each with what was read after it came", async () => {
  const queries: string[][] = [];
  const ends: (() => void)[] = [];
  let world = 1;
  const ask = together(async (keys) => {
    queries.push(keys);
    await new Promise<void>((resolve) => ends.push(resolve));
    return new Map(keys.filter((key) => key !== "unknown").map((key) => [key, `${key}${world}`]));
  });
  const first = ask("a");
  const rest = [ask("b"), ask("b"), ask("unknown"), ask("a")];
  expect(queries).toEqual([["a"]]);
  ends[0]?.();
  expect(await first).toBe("a1");
  await expect.poll(() => queries.length).toBe(2);
  world = 2;
  ends[1]?.();
  expect(await Promise.all(rest)).toEqual(["b2", "b2", undefined, "a2"]);
  expect(queries).toEqual([["a"], ["b", "unknown", "a"]]);
});

it("a failure is told to those who asked, and to nobody after", async () => {
  let fails = true;
  const ask = together(async (keys) => {
    if (fails) throw new Error("away");
    return new Map(keys.map((key) => [key, key]));
  });
  await expect(ask("a")).rejects.toThrow("away");
  fails = false;
  expect(await ask("a")).toBe("a");
});
