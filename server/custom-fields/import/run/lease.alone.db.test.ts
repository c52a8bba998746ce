import { afterEach, expect, it, vi } from "vitest";
import { asSystem } from "@/db/client";
import { getImport } from "@/server/custom-fields/import/imports";
import { startRun } from "@/server/custom-fields/import/start";
import { check, createSimple, stageText } from "@/testing/import/imports";
import { claimImport, markDone, renewLease } from "./lease";
import { runImportJob } from "./run-job";

afterEach(() => {
  vi.useRealTimers();
});

it("the import that a process with a slow clock runs is not taken by another one", async () => {
  const { ctx, text } = await createSimple();
  const staged = await stageText(ctx, text);
  await check(ctx, staged.id);
  await startRun.run(ctx, { id: staged.id });
  const claim = await claimImport();
  if (claim?.id !== staged.id) throw new Error("another import was waiting");
  const { summary } = await getImport.run(ctx, staged);
  const steps = [() => renewLease(claim), () => asSystem((tx) => markDone(tx, claim.id, { jobDone: 0, summary }))];
  for (const step of steps) {
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() - 60_000 });
    await step();
    vi.useRealTimers();
    expect(await claimImport()).toBeNull();
  }
  await runImportJob(claim);
  expect(await getImport.run(ctx, staged)).toMatchObject({ status: "done" });
});
