import { and, gt, gte } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { asSystem } from "@/db/client";
import { recordingLosses } from "@/db/schema";
import { record, startRecording, stopRecording } from "@/server/audit/record/record";
import { systemCtx } from "@/server/ground/context";
import { createOrg } from "@/testing/factories";
import { withSettings } from "@/testing/settings";
import { tempFolder } from "@/testing/temp-folder";
import { startWorkers, stopWorkers } from "./workers";

afterAll(stopWorkers);

it("a process without background work still reports its lost events", async () => {
  const began = new Date();
  const { id: orgId } = await createOrg();
  await startRecording({ dir: tempFolder() });
  await stopRecording();
  record(systemCtx(), { action: "device.update", orgId, resourceType: "device" });
  withSettings({ WORKERS: false });
  await startWorkers();
  const told = () =>
    asSystem((tx) =>
      tx
        .select({ dropped: recordingLosses.dropped })
        .from(recordingLosses)
        .where(and(gte(recordingLosses.droppedAt, began), gt(recordingLosses.dropped, 0))),
    );
  await expect.poll(told).toMatchObject([{ dropped: 1 }]);
});
