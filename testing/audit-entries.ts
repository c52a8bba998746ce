import { appSql } from "@/db/client";
import { appendAudit } from "@/server/audit/record/append";
import { type RowInput, toRow } from "@/server/audit/record/to-row";
import { newId } from "@/server/ground/ids";

export type TestEvent = Partial<RowInput> & { orgId: string };

const anyEvent = (over: Partial<RowInput>): RowInput => ({
  id: newId(),
  orgId: newId(),
  timestamp: new Date(),
  actorType: "system",
  actorId: null,
  action: "device.create",
  resourceType: "device",
  result: "success",
  ...over,
});

/** A row as the recorder takes it, with the members that the test cares about. */
export const anyRow = (over: Partial<RowInput> = {}) => toRow(anyEvent(over));

/** Appends sealed rows for a test, in the given order; what is not given is filled in. */
export async function appendEvents(events: TestEvent[]): Promise<RowInput[]> {
  const rows = events.map(anyEvent);
  for (let at = 0; at < rows.length; at += 500) await appendAudit(appSql(), rows.slice(at, at + 500).map(toRow));
  return rows;
}
