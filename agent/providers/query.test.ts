import { describe, expect, it } from "vitest";
import { type LogRecord, MAX_SCANNED } from "./provider";
import { pageOfOldestFirst } from "./query";

const RECORDS = 2 * MAX_SCANNED + 500;

/** Records 0 to 200,499, every other one of them an error, made while they are read. */
async function* log(): AsyncGenerator<LogRecord> {
  const time = new Date(0);
  for (let recordId = 0; recordId < RECORDS; recordId++)
    yield { recordId, time, level: recordId % 2 ? "error" : "information", source: "s", message: "m" } as LogRecord;
}

/** The ids of a page, the total, and the number of times that the log was read. */
async function pageOf(page: number, limit: number, level?: "error") {
  let readings = 1;
  const again = () => {
    readings++;
    return log();
  };
  const { events, total } = await pageOfOldestFirst(log(), { page, limit, level }, again);
  return { ids: events.map(({ recordId }) => recordId), total, readings };
}

describe("paging a log that is read forward", () => {
  it("keeps the page if it is within the newest 100,000 records", async () => {
    expect(await pageOf(1, 2)).toEqual({ ids: [RECORDS - 1, RECORDS - 2], total: RECORDS, readings: 1 });
    expect((await pageOf(1_000, 100)).ids.at(-1)).toBe(RECORDS - MAX_SCANNED);
  });

  it("reads again for an older page instead of keeping everything", async () => {
    expect(await pageOf(100_001, 2)).toEqual({ ids: [499, 498], total: RECORDS, readings: 2 });
    expect((await pageOf(401, 500)).ids).toHaveLength(500);
    expect(await pageOf(402, 250, "error")).toEqual({ ids: [], total: RECORDS / 2, readings: 2 });
    expect((await pageOf(334, 300, "error")).ids.at(-1)).toBe(101);
  });

  it("ends with the oldest record, and later pages are empty", async () => {
    expect(await pageOf(1_003, 200)).toMatchObject({ readings: 2, ids: { length: 100 } });
    expect(await pageOf(1_000_000, 500)).toEqual({ ids: [], total: RECORDS, readings: 2 });
  });
});
