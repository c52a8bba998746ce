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

/** A row for the recorder, with the members relevant to the test. */
export const anyRow = (over: Partial<RowInput> = {}) => toRow(anyEvent(over));

/** Appends sealed rows in the given order, with defaults. */
export async function appendEvents(events: TestEvent[]): Promise<RowInput[]> {
  const rows = events.map(anyEvent);
  for (let at = 0; at < rows.length; at += 500) await appendAudit(appSql(), rows.slice(at, at + 500).map(toRow));
  return rows;
}
