import { and, asc, eq, ilike, type SQL, sql } from "drizzle-orm";
import { tenant } from "@/db/client";
import { readPage } from "@/db/page";
import { agents, devices } from "@/db/schema";
import { hasFieldValue } from "@/server/custom-fields/values";
import type { Ctx } from "@/server/ground/context";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { containsPattern } from "@/server/ground/text";
import { onlineCondition } from "./presence";
import { devicePage, type ListInput, listInput } from "./schema";
import { deviceColumns, toDevice } from "./to-device";

function conditions(ctx: Ctx, input: ListInput): SQL | undefined {
  const online = onlineCondition(ctx.now());
  return and(
    inScope(devices.orgId, ctx.scope),
    input.search ? ilike(devices.hostname, containsPattern(input.search)) : undefined,
    input.os ? eq(sql`lower(${devices.os})`, input.os.toLowerCase()) : undefined,
    input.online === undefined ? undefined : input.online ? online : sql`NOT ${online}`,
  );
}

/** The devices within the caller's reach, by hostname; search is part of the hostname, in any case. */
export const listDevices = operation({
  permission: "devices:read",
  input: listInput,
  output: devicePage,
  run(ctx, input) {
    return tenant(ctx.scope, async (tx) => {
      const { fieldKey, fieldValue } = input;
      const byField =
        fieldKey && fieldValue ? await hasFieldValue(tx, ctx, { key: fieldKey, text: fieldValue }) : undefined;
      const where = and(conditions(ctx, input), byField);
      const query = tx
        .select(deviceColumns(ctx.now()))
        .from(devices)
        .leftJoin(agents, eq(agents.deviceId, devices.id))
        .orderBy(asc(devices.hostname), asc(devices.id))
        .$dynamic();
      const { rows, pagination } = await readPage(tx, input, { from: devices, query, where });
      return { data: rows.map(toDevice), pagination };
    });
  },
});
