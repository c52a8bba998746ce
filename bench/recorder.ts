import { join } from "node:path";
import { writerConnection } from "@/server/audit/record/append";
import { Recorder } from "@/server/audit/record/recorder";
import type { AuditInsert } from "@/server/audit/row";
import type { World } from "./world";

/** The product's recorder with spool and batch writer, on a database of the cluster, and its batches. */
export function startRecorder(world: World, name: string, url = world.embedded.appUrl) {
  const batches: AuditInsert[][] = [];
  const connection = writerConnection(() => url);
  const recorder = new Recorder({
    ...connection,
    append: (rows) => {
      batches.push(rows);
      return connection.append(rows);
    },
  });
  recorder.start(join(world.dir, `spool-${name}`));
  return { recorder, batches };
}
