import { type Bench, type Figure, figuresOf, interleave, medianMsOf } from "@/bench/harness";
import type { World } from "@/bench/world";
import { COMPLIANCE_ACTIONS, SECURITY_ACTIONS } from "@/server/audit/actions";
import { MAX_REPORT_ROWS } from "@/server/audit/entries/reports/report-schema";
import {
  getStatistics,
  reportCompliance,
  reportSecurityEvents,
  reportUserActivity,
} from "@/server/audit/entries/reports/reports";
import { type RangeInput, rangeInput } from "@/server/audit/schema";
import type { Ctx } from "@/server/ground/context";

const CALLS = 3;
type Report = (ctx: Ctx, input: RangeInput) => Promise<unknown>;

/** Rows with all columns, optionally of some actions. */
function read({ app }: World, orgId: string, actions?: readonly string[]) {
  const about = actions ? app`AND action = ANY (${[...actions]})` : app``;
  return app`SELECT * FROM audit_logs WHERE org_id = ${orgId} ${about}
    ORDER BY "timestamp" DESC, chain_seq DESC LIMIT ${MAX_REPORT_ROWS}`;
}

/** Row 14: each report and the statistics, against reading their rows. */
async function run(world: World): Promise<Figure[]> {
  const orgId = await world.history();
  const ctx = world.ctxOf(orgId);
  const input = rangeInput.parse({});
  const line = async (name: string, report: Report, actions?: readonly string[]) => {
    const rows = (await read(world, orgId, actions)).length;
    const seen = await interleave(world.size.full ? 9 : 5, {
      value: () => medianMsOf(CALLS, () => report(ctx, input)),
      reference: () => medianMsOf(CALLS, () => read(world, orgId, actions)),
    });
    return figuresOf("14", "ms")(`${name} over ${rows} rows`, seen, { max: 1.5 });
  };
  return [
    await line("user activity", (ctx, input) => reportUserActivity.run(ctx, { ...input, routine: "with" })),
    await line("security report", reportSecurityEvents.run, [...SECURITY_ACTIONS]),
    await line("compliance report", reportCompliance.run, [...COMPLIANCE_ACTIONS]),
    await line("statistics", getStatistics.run),
  ];
}

export const reportBench: Bench = { rows: ["14"], title: "reports", run };
