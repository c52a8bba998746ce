import { join } from "node:path";
import { gte } from "drizzle-orm";
import { expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { recordingLosses } from "@/db/schema";
import { record, startRecording, stopRecording } from "@/server/audit/record/record";
import { systemCtx } from "@/server/ground/context";
import { createOrg } from "@/testing/factories";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { lossReporter } from "./losses";

it("a process reports its last losses on shutdown", async () => {
  const began = new Date();
  const dir = tempFolder();
  withSettings({ TRAILMARK_DATA_DIR: dir });
  const ours = gte(recordingLosses.seenAt, began);
  const told = async () =>
    (await asSystem((tx) => tx.select().from(recordingLosses).where(ours))).map(({ dropped }) => dropped);
  lossReporter.start();
  await expect.poll(told).toEqual([0]);
  // A recorder that has stopped takes nothing, as one whose disk and memory are full.
  await startRecording({ dir: join(dir, "spool") });
  await stopRecording();
  record(systemCtx(), { action: "device.create", orgId: (await createOrg()).id, resourceType: "device" });
  await lossReporter.stop();
  expect(await told()).toEqual([1]);
  await asSystem((tx) => tx.delete(recordingLosses).where(ours));
});
