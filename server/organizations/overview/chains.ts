import { tenant } from "@/db/client";
import { reachedBy } from "@/server/audit/query/rows";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { readStates, statusOf } from "@/server/evidence/integrity/state";
import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { inChunks } from "./chunks";
import { CHAIN_STATUSES, type ChainCounts, chainCounts } from "./schema";

/** How many of the chains within the caller's reach are in each state, from what is kept, without reading them. */
export const countChains = operation({
  permission: "audit:read",
  input: noInput,
  output: chainCounts,
  async run(ctx): Promise<ChainCounts> {
    const alarms = await openAlarms(ctx.scope);
    const orgIds = await tenant(ctx.scope, (tx) => reachedBy(tx, ctx.scope));
    const found = await inChunks(ctx, orgIds, async (tx, chunk) =>
      [...(await readStates(tx, chunk.orgIds, alarms)).values()].map(statusOf),
    );
    const counted = (status: ChainCounts[number]["status"]) => found.filter((one) => one === status).length;
    return CHAIN_STATUSES.map((status) => ({ status, count: counted(status) }));
  },
});
