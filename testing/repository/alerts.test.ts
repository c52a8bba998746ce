import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, it } from "vitest";
import { parse, stringify } from "yaml";
import { z } from "zod";
import { tempFolder } from "@/testing/temp-folder";

const ALERTS = "deploy/monitoring/alerts.yml";
const { groups } = z
  .object({ groups: z.array(z.object({ rules: z.array(z.object({ alert: z.string() })) })) })
  .parse(parse(readFileSync(ALERTS, "utf8")));
const names = groups.flatMap(({ rules }) => rules.map(({ alert }) => alert));

/** Figures of a healthy process, each as a first value and its change a minute. */
const WELL: Record<string, [number, number]> = {
  up: [1, 0],
  trailmark_audit_broken_chains: [0, 0],
  trailmark_audit_lost_heads: [0, 0],
  trailmark_audit_dropped_total: [0, 0],
  trailmark_audit_dead_lettered_total: [0, 0],
  trailmark_audit_spool_failures_total: [0, 0],
  trailmark_audit_held: [0, 0],
  trailmark_audit_write_fault_seconds: [0, 0],
  trailmark_audit_queue: [200, 0],
  trailmark_audit_witnessed_age_seconds: [40, 0],
  trailmark_retention_enabled: [1, 0],
  'trailmark_http_requests_total{status="200"}': [0, 6000],
  'trailmark_http_requests_total{status="503"}': [0, 60],
  trailmark_chain_readers_waiting: [0, 0],
  nodejs_eventloop_lag_p99_seconds: [0.02, 0],
  process_open_fds: [900, 0],
  process_max_fds: [65_536, 0],
  trailmark_audit_unsigned_age_seconds: [60, 0],
  trailmark_audit_verified_age_seconds: [80_000, 0],
  trailmark_retention_age_seconds: [80_000, 0],
  trailmark_search_backlog_rows: [5_000, 0],
  'trailmark_jobs_age_seconds{kind="delivery"}': [2, 0],
  trailmark_deliveries_failed_total: [3, 0],
  'trailmark_stream_lag_seconds{kind="https"}': [4, 0],
  'trailmark_stream_state{kind="blocked"}': [0, 0],
  'trailmark_jobs_age_seconds{kind="export"}': [20, 0],
  trailmark_requests_refused_total: [100, 1],
  trailmark_figures_age_seconds: [310, 0],
  trailmark_database_transactions: [12, 0],
  trailmark_database_pool_size: [20, 0],
};

/** The difference that makes an alert fire. */
const SICK: Record<string, Partial<typeof WELL>> = {
  TrailmarkAllDown: { up: [0, 0] },
  TrailmarkDown: { up: [0, 0] },
  TrailmarkChainBroken: { trailmark_audit_broken_chains: [1, 0] },
  TrailmarkHeadLost: { trailmark_audit_lost_heads: [1, 0] },
  TrailmarkEventsLost: { trailmark_audit_dropped_total: [1, 0] },
  TrailmarkSpoolFails: { trailmark_audit_spool_failures_total: [0, 1] },
  TrailmarkEventsRefused: { trailmark_audit_dead_lettered_total: [1, 0] },
  TrailmarkEventsHeld: { trailmark_audit_held: [1, 0] },
  TrailmarkNotWriting: { trailmark_audit_write_fault_seconds: [61, 0] },
  TrailmarkBacklog: { trailmark_audit_queue: [10_001, 0] },
  TrailmarkUnwitnessed: { trailmark_audit_witnessed_age_seconds: [3_601, 0] },
  TrailmarkPruningOff: { trailmark_retention_enabled: [0, 0] },
  TrailmarkServerErrors: { 'trailmark_http_requests_total{status="503"}': [0, 600] },
  TrailmarkChainReadersWaiting: { trailmark_chain_readers_waiting: [1, 0] },
  TrailmarkEventLoopLag: { nodejs_eventloop_lag_p99_seconds: [0.6, 0] },
  TrailmarkFileDescriptors: { process_open_fds: [60_000, 0] },
  TrailmarkUnsigned: { trailmark_audit_unsigned_age_seconds: [901, 0] },
  TrailmarkUnverified: { trailmark_audit_verified_age_seconds: [180_001, 0] },
  TrailmarkRetentionLate: { trailmark_retention_age_seconds: [180_001, 0] },
  TrailmarkSearchBehind: { trailmark_search_backlog_rows: [1_000_001, 0] },
  TrailmarkDeliveriesLate: { 'trailmark_jobs_age_seconds{kind="delivery"}': [601, 0] },
  TrailmarkDeliveriesFailed: { trailmark_deliveries_failed_total: [0, 1] },
  TrailmarkStreamLate: { 'trailmark_stream_lag_seconds{kind="https"}': [3_601, 0] },
  TrailmarkStreamBlocked: { 'trailmark_stream_state{kind="blocked"}': [1, 0] },
  TrailmarkExportsWaiting: { 'trailmark_jobs_age_seconds{kind="export"}': [1_801, 0] },
  TrailmarkRequestsRefused: { trailmark_requests_refused_total: [0, 60] },
  TrailmarkFiguresMissing: { trailmark_figures_age_seconds: [901, 0] },
  TrailmarkPoolBusy: { trailmark_database_transactions: [41, 0] },
};

const MINUTES = 75;
const labelled = (name: string) =>
  name.includes("{")
    ? name.replace("{", '{job="trailmark",instance="server-1:3000",')
    : `${name}{job="trailmark",instance="server-1:3000"}`;

/** An hour and a quarter of one process, and how many alerts of a kind fire at their end. */
const test = (figures: Partial<typeof WELL>, alerts: string, firing: number) => ({
  interval: "1m",
  input_series: Object.entries(figures).map(([name, [first, step] = [0, 0]]) => ({
    series: labelled(name),
    values: `${first}+${step}x${MINUTES}`,
  })),
  promql_expr_test: [
    {
      expr: `count(ALERTS{alertstate="firing",alertname=~"${alerts}"}) or vector(0)`,
      eval_time: `${MINUTES}m`,
      exp_samples: [{ labels: "{}", value: firing }],
    },
  ],
});

it("every alert has an example that fires it", () => {
  expect(Object.keys(SICK).sort()).toEqual([...names].sort());
});

const hasPromtool = spawnSync("promtool", ["--version"]).status === 0;

it.runIf(hasPromtool)(
  "each alert fires on its example and none fires in normal operation (promtool)",
  { timeout: 180_000 },
  () => {
    const { trailmark_figures_age_seconds: _, ...serving } = WELL;
    const dir = tempFolder();
    const tests = [
      test(WELL, ".*", 0),
      ...names.map((name) => test({ ...WELL, ...SICK[name] }, name, 1)),
      // Nothing is scraped at all.
      test({}, "TrailmarkAllDown", 1),
      test({}, "TrailmarkFiguresMissing", 0),
      // Processes are there, and none has WORKERS=on.
      test(serving, "TrailmarkFiguresMissing", 1),
    ];
    const file = join(dir, "alerts.test.yml");
    writeFileSync(file, stringify({ rule_files: [resolve(ALERTS)], evaluation_interval: "1m", tests }));
    expect(execFileSync("promtool", ["test", "rules", file], { encoding: "utf8" })).toContain("SUCCESS");
  },
);
