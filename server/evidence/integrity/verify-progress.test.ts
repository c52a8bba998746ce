import { randomUUID } from "node:crypto";
import { expect, it } from "vitest";
import { systemCtx } from "@/server/ground/context";
import { getVerifyProgress, watched } from "./verify-progress";

const person = {
  ...systemCtx(),
  actor: { type: "user" as const, id: randomUUID(), email: "", name: "", role: "org_viewer" as const },
};
const somebodyElse = { ...person, actor: { ...person.actor, id: randomUUID() } };

it("returns a verification's progress to its caller only, while it runs", async () => {
  const runId = randomUUID();
  await watched(person, runId, async (onProgress) => {
    onProgress?.(20_000);
    expect(await getVerifyProgress.run(person, { runId })).toEqual({ rows: 20_000 });
    expect(await getVerifyProgress.run(somebodyElse, { runId })).toEqual({ rows: null });
  });
  expect(await getVerifyProgress.run(person, { runId })).toEqual({ rows: null });
});

it("clears progress when a verification fails", async () => {
  const runId = randomUUID();
  const failed = watched(person, runId, async (onProgress) => {
    onProgress?.(20_000);
    throw new Error("gone");
  });
  await expect(failed).rejects.toThrow("gone");
  expect(await getVerifyProgress.run(person, { runId })).toEqual({ rows: null });
});
