import { sql } from "drizzle-orm";
import { fillAudit } from "@/bench/fill";
import { type Bench, type Figure, figuresOf, msOf, percentile, rateOf } from "@/bench/harness";
import type { World } from "@/bench/world";
import { asSystem } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backtestRule } from "@/server/detections/backtest";
import { evaluateOrganization } from "@/server/detections/evaluate/run";
import { createRule } from "@/server/detections/rules";
import { backtestInput, createRuleInput } from "@/server/detections/schema";
import { SHIPPED_RULES } from "@/server/detections/shipped/rules";
import type { Permission } from "@/server/ground/permissions";
import { DAY_MS } from "@/server/ground/time/durations";
import { appendEvents } from "@/testing/audit-entries";
import { createOrg } from "@/testing/factories";

const RULES = 50;
/** Interval at which the server checks for new entries. */
const WAKE_MS = 1_000;
const MIB = 1024 * 1024;

/** Text of one of fifty rules: shipped ones repeated under distinct names. */
const yamlOf = (n: number): string =>
  (SHIPPED_RULES[n % SHIPPED_RULES.length]?.yaml ?? "").replace(/^title: /m, `title: ${n} `);

/** Row 27: fifty rules over incoming entries of one organization. */
async function evaluating(world: World, rows: number): Promise<Figure[]> {
  const { id: orgId } = await createOrg({ partnerId: world.partnerId });
  const ctx = world.ctxOf(orgId);
  for (let n = 0; n < RULES; n++) await createRule.run(ctx, createRuleInput.parse({ yaml: yamlOf(n), orgId }));
  await fillAudit(world.app, { orgId, rows });
  await world.index();
  const value = await rateOf(rows, () => evaluateOrganization(orgId));
  const lags: number[] = [];
  for (let n = 0; n < 20; n++) {
    await appendEvents([{ orgId, action: "user.token.reuse", result: "denied" }]);
    lags.push(WAKE_MS + (await msOf(() => evaluateOrganization(orgId))));
  }
  const [state] = await asSystem((tx) =>
    rowsOf<{ bytes: number }>(tx, sql`SELECT pg_total_relation_size('detection_windows')::float8 AS bytes`),
  );
  const each = (state?.bytes ?? 0) / RULES / MIB;
  const evaluated = { value, holds: each <= 10, detail: `state ${each.toFixed(2)} MiB a rule` };
  const late = { value: percentile(lags, 0.95), detail: `${WAKE_MS} of it the wait until the server looks` };
  return [
    figuresOf("27", "entries/s")(`${RULES} rules over ${rows} entries`, evaluated, { min: 5_000 }),
    figuresOf("27", "ms")("an alert from the commit of its entry, p95", late, { max: 5_000 }),
  ];
}

/** Row 28: one rule over a month of sealed entries. */
async function backtesting(world: World, rows: number): Promise<Figure> {
  const to = new Date();
  const orgId = await world.filled(rows, { from: new Date(to.getTime() - 29 * DAY_MS), to });
  await world.index();
  const yaml = SHIPPED_RULES.find(({ key }) => key === "mass_script")?.yaml;
  const input = backtestInput.parse({ yaml, orgId, days: 30 });
  let found = { complete: false, entriesRead: 0, alerts: 0 };
  const ms = await msOf(async () => {
    found = await backtestRule.run({ ...world.ctxOf(orgId), permissions: new Set<Permission>(["audit:read"]) }, input);
  });
  const read = {
    ...{ value: (found.entriesRead * 1_000) / ms, holds: found.complete && found.entriesRead === rows },
    detail: `${(ms / 1_000).toFixed(1)} s, ${found.alerts} alerts`,
  };
  return figuresOf("28", "entries/s")(`a rule tested over ${rows} entries`, read, { min: 16_667 });
}

async function run(world: World): Promise<Figure[]> {
  const rows = world.size.full ? 1_000_000 : 20_000;
  return [...(await evaluating(world, world.size.full ? 200_000 : rows)), await backtesting(world, rows)];
}

export const ruleBench: Bench = { rows: ["27", "28"], title: "rules", run };
