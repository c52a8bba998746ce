import { tenant } from "@/db/client";
import { paginate } from "@/db/page";
import { reachedBy } from "@/server/audit/query/rows";
import { openAlarms } from "@/server/evidence/integrity/alarm";
import { readStates, statusOf } from "@/server/evidence/integrity/state";
import { operation } from "@/server/ground/operation";
import { noInput } from "@/server/ground/wire";
import { isPruningEnabled } from "@/server/retention/schedule";
import { arrange, IS_SHOWN } from "./arrange";
import { inChunks } from "./chunks";
import { readOverviews } from "./read";
import {
  CHAIN_STATUSES,
  type ChainCounts,
  chainCounts,
  type OrganizationOverview,
  overviewInput,
  overviewPage,
  type Shown,
} from "./schema";

const countOf = (rows: readonly OrganizationOverview[], shown: Shown): number => rows.filter(IS_SHOWN[shown]).length;

/**
 * Overview of every organization in the caller's reach, those that need attention first: one row each, from indexes and
 * stored verdicts, never from a scan. counts cover all organizations, regardless of the filters.
 */
export const listOverview = operation({
  permission: "audit:read",
  input: overviewInput,
  output: overviewPage,
  async run(ctx, input) {
    const readAt = ctx.now().toISOString();
    const rows = await readOverviews(ctx, await tenant(ctx.scope, (tx) => reachedBy(tx, ctx.scope)));
    const found = arrange(rows, input);
    const from = (input.page - 1) * input.limit;
    return {
      data: found.slice(from, from + input.limit),
      pagination: paginate(input, found.length),
      counts: {
        organizations: rows.length,
        attention: countOf(rows, "attention"),
        chain: countOf(rows, "chain"),
        retention: countOf(rows, "retention"),
        silent: countOf(rows, "silent"),
        broken: rows.filter(({ chain }) => chain.status === "broken").length,
      },
      pruningEnabled: isPruningEnabled(),
      readAt,
    };
  },
});

/** Number of chains per state in the caller's reach, from stored verdicts. */
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
