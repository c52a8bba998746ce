import { join } from "node:path";
import { Recorder } from "@/server/audit/record/recorder";
import { laneConnection } from "@/server/audit/record/writer";
import type { AuditInsert } from "@/server/audit/row";
import type { World } from "./world";

/** The product's recorder with its spool and lane, on a database of the cluster, and the batches that it cut. */
export function startRecorder(world: World, name: string, url = world.embedded.appUrl) {
  const batches: AuditInsert[][] = [];
  const lane = laneConnection(() => url);
  const recorder = new Recorder({
    ...lane,
    append: (rows) => {
      batches.push(rows);
      return lane.append(rows);
    },
  });
  recorder.start(join(world.dir, `spool-${name}`));
  return { recorder, batches };
}
