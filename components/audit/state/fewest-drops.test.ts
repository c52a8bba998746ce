import { expect, test } from "vitest";
import { fewestDrops } from "./fewest-drops";

/** Entries as the parts that they meet. */
const drops = (parts: string[], entries: string[][]) =>
  fewestDrops(parts, async (kept) => entries.filter((entry) => kept.every((part) => entry.includes(part))).length);
const labels = async (...args: Parameters<typeof drops>) =>
  (await drops(...args)).found.map(({ parts, total }) => `${parts.join("+")} ${total}`);

test("offers single parts, in their order", async () => {
  expect(await labels(["time", "disk", "jane"], [["disk", "jane"], ["time", "disk"], ["time"]])).toEqual([
    "time 1",
    "jane 1",
  ]);
});

test("offers pairs where no single part suffices", async () => {
  expect(await labels(["time", "disk", "jane"], [["time"], ["disk"], ["jane"], ["jane"]])).toEqual([
    "time+disk 2",
    "time+jane 1",
    "disk+jane 1",
  ]);
});

test("leaves out every part that matches nothing by itself", async () => {
  const parts = ["time", "disk", "fialed", "tuseday"];
  expect(await drops(parts, [["time", "disk"]])).toEqual({
    found: [{ parts: ["fialed", "tuseday"], total: 1 }],
    dead: ["fialed", "tuseday"],
  });
  expect(await labels(parts, [["time"], ["disk"]])).toEqual(["fialed+tuseday+time 1", "fialed+tuseday+disk 1"]);
});

test("offers nothing where nothing matches", async () => {
  expect(await labels(["zzz"], [["disk"]])).toEqual([]);
});
