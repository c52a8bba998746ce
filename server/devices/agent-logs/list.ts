import { and, count, desc, eq, getTableColumns, gte, ilike, inArray, lte, sql } from "drizzle-orm";
import { tenantRead } from "@/db/read";
import { agentLogs } from "@/db/schema";
import { findDevice, preferDeviceIndex } from "@/server/devices/find";
import { readMembers } from "@/server/ground/exact-json";
import { operation } from "@/server/ground/operation";
import { containsPattern } from "@/server/ground/text";
import { type AgentLog, agentLogPage, listInput } from "./schema";

/** As text: the driver would take its numbers for doubles. */
const COLUMNS = { ...getTableColumns(agentLogs), fields: sql<string | null>`${agentLogs.fields}::text` };
type Row = Omit<typeof agentLogs.$inferSelect, "fields"> & { fields: string | null };

const toLog = (row: Row): AgentLog => ({
  ...row,
  fields: readMembers(row.fields),
  timestamp: row.timestamp.toISOString(),
  createdAt: row.createdAt.toISOString(),
});

/**
 * One device's diagnostic logs, newest first; among equal timestamps the one stored last comes first.
 * @throws AppError not_found when the device is missing or another organization's.
 */
export const listLogs = operation({
  permission: "devices:read",
  input: listInput,
  output: agentLogPage,
  run(ctx, input) {
    const offset = (input.page - 1) * input.limit;
    return tenantRead(ctx.scope, async (tx) => {
      const [device] = await Promise.all([findDevice(ctx, tx, input.id), preferDeviceIndex(tx)]);
      const where = and(
        eq(agentLogs.orgId, device.orgId),
        eq(agentLogs.deviceId, device.id),
        input.level ? inArray(agentLogs.level, input.level) : undefined,
        input.component ? inArray(agentLogs.component, input.component) : undefined,
        input.since ? gte(agentLogs.timestamp, input.since) : undefined,
        input.until ? lte(agentLogs.timestamp, input.until) : undefined,
        input.search ? ilike(agentLogs.message, containsPattern(input.search)) : undefined,
      );
      const newestFirst = [desc(agentLogs.timestamp), desc(agentLogs.id)];
      const [rows, [counted]] = await Promise.all([
        tx
          .select(COLUMNS)
          .from(agentLogs)
          .where(where)
          .orderBy(...newestFirst)
          .limit(input.limit)
          .offset(offset),
        tx.select({ total: count() }).from(agentLogs).where(where),
      ]);
      return { logs: rows.map(toLog), total: counted?.total ?? 0, limit: input.limit, offset };
    });
  },
});
