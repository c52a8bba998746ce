import { stat } from "node:fs";
import { expect, it } from "vitest";
import { inTime } from "./lookup";

const TIMEOUT_MS = 20;

/** Nothing of this process runs for so long, as on a machine without a free processor. */
const standStill = (ms: number) => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);

it("takes an answer that came while the process stood still", async () => {
  const answer = new Promise((resolve) => stat(".", () => resolve("there")));
  const read = inTime(answer, TIMEOUT_MS);
  standStill(5 * TIMEOUT_MS);
  expect(await read).toBe("there");
});

it("says that the database is away when there is no answer", async () => {
  await expect(inTime(new Promise(() => {}), TIMEOUT_MS)).rejects.toMatchObject({ code: "ETIMEDOUT" });
});
