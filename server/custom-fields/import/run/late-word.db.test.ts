import { setTimeout as sleep } from "node:timers/promises";
import { eq } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { customFieldImports } from "@/db/schema";
import { getImport } from "@/server/custom-fields/import/imports";
import { readFiles } from "@/server/custom-fields/import/reader/read-files";
import { toRecord } from "@/server/custom-fields/import/record";
import { startRun } from "@/server/custom-fields/import/start";
import { LostLease } from "@/server/ground/lease";
import { check, createSimple, stageText } from "@/testing/import/imports";
import { claimImport, renewLease } from "./lease";
import { runImportJob } from "./run-job";

it("what an earlier piece of an import's work says late does not move the mark of the next one", async () => {
  const { ctx, text } = await createSimple();
  const staged = await stageText(ctx, text);
  await check(ctx, staged.id);
  await startRun.run(ctx, { id: staged.id });
  const claim = await claimImport();
  expect(claim).toMatchObject({ id: staged.id, job: "apply" });
  if (!claim?.jobStartedAt) throw new Error("nothing was claimed");
  for (const earlier of [
    { ...claim, job: "stage" },
    { ...claim, jobStartedAt: new Date(claim.jobStartedAt.getTime() - 1) },
  ])
    await expect(renewLease(earlier, 3)).rejects.toThrow(LostLease);
  await runImportJob(claim);
  expect(await getImport.run(ctx, staged)).toMatchObject({ status: "done", summary: { run: { devices: 3 } } });
});

it("the reading of files ends when the last of their rows has been taken, and not before", async () => {
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
