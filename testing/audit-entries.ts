import { appSql } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { type RowInput, toRow } from "@/server/audit/record/to-row";
import { newId } from "@/server/ground/ids";

export type TestEvent = Partial<RowInput> & { orgId: string };

/** Appends sealed rows for a test, in the given order; what is not given is filled in. */
export async function appendEvents(events: TestEvent[]): Promise<RowInput[]> {
  const rows = events.map(
    (event): RowInput => ({
      id: newId(),
      timestamp: new Date(),
      actorType: "system",
      actorId: null,
      action: "device.create",
      resourceType: "device",
      result: "success",
      ...event,
    }),
  );
  for (let at = 0; at < rows.length; at += 500) await appendAudit(appSql(), rows.slice(at, at + 500).map(toRow));
  return rows;
}
