import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { getImport } from "@/server/custom-fields/import/imports";
import { readFiles } from "@/server/custom-fields/import/reader/read-files";
import { toRecord } from "@/server/custom-fields/import/record";
import { startRun } from "@/server/custom-fields/import/start";
import { checkText, createSimple, stageText } from "@/testing/import/imports";
import { workOff } from "@/testing/jobs";
import { beginAttempt, Gone, storeProgress } from "./attempt";
import { importWork } from "./run-job";

it("an earlier or ended attempt does not move an import's progress", async () => {
  const { ctx, text } = await createSimple();
  const staged = await checkText(ctx, text);
  await startRun.run(ctx, { id: staged.id });
  const { signal } = new AbortController();
  const attempts = [await beginAttempt(staged.id, signal), await beginAttempt(staged.id, signal)];
  const [earlier, newest] = attempts.map((attempt) => () => attempt && storeProgress(attempt, 0));
  await expect(earlier?.()).rejects.toThrow(Gone);
  await newest?.();
  await workOff(importWork);
  expect(await getImport.run(ctx, staged)).toMatchObject({ status: "done", summary: { run: { devices: 3 } } });
  await expect(newest?.()).rejects.toThrow(Gone);
  expect(await beginAttempt(staged.id, signal)).toBeNull();
});

it("reading files ends only after their last row is taken", async () => {
  const { ctx, text } = await createSimple();
  const { id } = await stageText(ctx, text);
  const rows = await asSystem((tx) => tx.select().from(customFieldImports).where(eq(customFieldImports.id, id)));
  const files = rows.flatMap((row) => toRecord(row).files);
  expect(files).toHaveLength(1);
  let taken = 0;
  await readFiles({ kind: "stage", source: "automate", files }, async ({ through }) => {
    await sleep(300);
    taken = through;
  });
  expect(taken).toBe(3);
});
