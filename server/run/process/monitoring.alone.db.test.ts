import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { flushRecording, record } from "@/server/audit/record/record";
import { searchWorker } from "@/server/audit/search/search-worker";
import { readChain } from "@/server/evidence/chain/chain-stream";
import { noteWitnessed } from "@/server/evidence/checkpoints/witnessed";
import { alarmWatch } from "@/server/evidence/integrity/alarm-watch";
import { figuresWatch } from "@/server/evidence/integrity/figures";
import "@/server/devices/logs/agent-logs";
import "@/server/devices/logs/event-logs";
import { exportWork } from "@/server/exports/run";
import { countRequest } from "@/server/ground/background/metrics";
import { systemCtx } from "@/server/ground/context";
import { inCallerLimit } from "@/server/ground/limits/concurrency";
import { deliveryJob } from "@/server/notify/deliveries/settle";
import { streamFigures } from "@/server/notify/streams/figures";
import { announcePruning } from "@/server/retention/run";
import { bearer, call, createDevice, createOrg, createUser } from "@/testing/factories";
import { exposeMetrics } from "./expose-metrics";
import { queuesWatch } from "./queues-watch";
import "./workers";

const ALERTS = "deploy/monitoring/alerts.yml";
const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.object({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.object({ summary: z.string().min(1), runbook_url: z.string() }),
});
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(rule).min(1) })).min(1) })
  .parse(parse(readFileSync(ALERTS, "utf8")))
  .groups.flatMap((group) => group.rules);
const { panels } = z
  .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })) })
  .parse(JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")));

const watches = [alarmWatch, figuresWatch, searchWorker, queuesWatch([exportWork, deliveryJob()]), streamFigures];
afterAll(() => Promise.all(watches.map((watch) => watch.stop())));

const exposed = async (): Promise<string> =>
  (
    await exposeMetrics(new Request("http://127.0.0.1:3000/metrics", { headers: { "x-trailmark-peer": "127.0.0.1" } }))
  ).text();

/** The names of the samples, as a scrape of a process would keep them. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/^((?:trailmark|process|nodejs)_\w+)(?:\{| )/gm)].map(([, name = ""]) => name));

const metricsOf = (expressions: string[]): string[] => [
  ...new Set(expressions.flatMap((expression) => expression.match(/\b(?:trailmark|process|nodejs)_\w+/g) ?? [])),
];

it("every metric in alerts and dashboard is exposed by the server", async () => {
  for (const watch of watches) void watch.start();
  announcePruning();
  countRequest("/api/v1/me", 200, 1);
  noteWitnessed("example.org/log", true);
  await readChain({ kind: "system" }, async () => undefined);
  const device = await createDevice();
  const technician = await bearer(await createUser({ orgId: device.orgId, role: "org_technician" }));
  expect((await call(technician, `GET /devices/${device.id}/live-eventlogs`)).status).toBe(409);
  const late = [
    "trailmark_audit_lost_heads",
    "trailmark_retention_age_seconds",
    "trailmark_jobs_due",
    "trailmark_stream_lag_seconds",
    "trailmark_audit_broken_chains",
  ];
  for (const name of [...late, "trailmark_audit_search_behind_rows"])
    await expect.poll(async () => [...namesIn(await exposed())], { timeout: 60_000 }).toContain(name);
  const names = namesIn(await exposed());
  const wanted = metricsOf([...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr));
  expect(wanted.length).toBeGreaterThan(15);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await exposed())?.[1]);

it("agent logs and running requests update their metrics", async () => {
  const device = await createDevice();
  const at = { timestamp: new Date().toISOString(), level: "info", message: "m" };
  const path = `/agents/${device.agentId}`;
  const before = await Promise.all(["device_events", "diagnostic_logs"].map((n) => metric(`trailmark_${n}_total`)));
  const events = [{ ...at, category: "system", source: "s", eventId: "1" }];
  await call(device, `PUT ${path}/eventlogs`, { events });
  await call(device, `PUT ${path}/eventlogs`, { events });
  await call(device, `POST ${path}/logs`, { logs: [{ ...at, component: "c" }] });
  const after = await Promise.all(["device_events", "diagnostic_logs"].map((n) => metric(`trailmark_${n}_total`)));
  expect(after).toEqual(before.map((n) => n + 1));

  const person = {
    type: "user",
    id: crypto.randomUUID(),
    email: "a@b.example",
    name: "A",
    role: "org_viewer",
  } as const;
  const running = await inCallerLimit({ actor: person }, () => metric("trailmark_requests_running"));
  expect(running).toBe((await metric("trailmark_requests_running")) + 1);
});

it("counts a stored audit event and its seal time", async () => {
  const figures = () => Promise.all(["stored_total", "seal_seconds_count"].map((n) => metric(`trailmark_audit_${n}`)));
  await flushRecording(60_000);
  const before = await figures();
  const org = await createOrg();
  record(systemCtx(), { action: "policy.evaluate", resourceType: "policy", orgId: org.id });
  await flushRecording(60_000);
  await expect.poll(figures).toEqual(before.map((n) => n + 1));
});

it("every metric of an alert is on the dashboard", () => {
  const shown = new Set(metricsOf(panels.flatMap(({ targets }) => targets).map(({ expr }) => expr)));
  expect(metricsOf(rules.map(({ expr }) => expr)).filter((name) => !shown.has(name))).toEqual(["process_max_fds"]);
});

it("each alert links to its runbook section, and the runbook has no other", () => {
  const sections = readFileSync("docs/runbook.md", "utf8").split(/^## /m).slice(1);
  const explained = sections.map((section) => /^(\w+)\n\n\S[\s\S]+/.exec(section)?.[1]);
  expect([...explained].sort()).toEqual(rules.map(({ alert }) => alert).sort());
  for (const { alert, annotations } of rules)
    expect(annotations.runbook_url).toMatch(new RegExp(`/runbook\\.md#${alert.toLowerCase()}$`));
});
