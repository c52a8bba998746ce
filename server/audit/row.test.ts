import { getTableColumns } from "drizzle-orm";
import { expect, it } from "vitest";
import { auditLogs } from "@/db/schema";
import { COLUMNS, PAYLOAD_FIELDS } from "./row";

it("maps every column of the audit table", () => {
  const { chainSeq, checksum, prevChecksum, sealTx, sealedAt, ...columns } = getTableColumns(auditLogs);
  const actual = Object.entries(columns).map(([name, { name: sql, notNull }]) => [name, sql, !notNull]);
  expect(Object.entries(COLUMNS).map(([name, { sql, nullable }]) => [name, sql, nullable])).toEqual(actual);
});

it("keeps the order of the hashed fields", () => {
  expect(PAYLOAD_FIELDS.join()).toBe(
    "prevChecksum,chainSeq,id,orgId,timestampMs,actorType,actorId,actorEmail,action,resourceType,resourceId,resourceName," +
      "details,ipAddress,userAgent,result,errorMessage",
  );
});
