import { readFileSync } from "node:fs";
import { eq } from "drizzle-orm";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { PUT as putEvents } from "@/app/api/v1/agents/[id]/eventlogs/route";
import { POST as postLogs } from "@/app/api/v1/agents/[id]/logs/route";
import { asSystem } from "@/db/client";
import { auditExports } from "@/db/schema";
import { searchWorker } from "@/server/audit/query/search-worker";
import { readChain } from "@/server/evidence/chain/chain-stream";
import { noteWitnessed } from "@/server/evidence/checkpoints/witnessed";
import { alarmWatch } from "@/server/evidence/integrity/alarm-watch";
import { figuresWatch } from "@/server/evidence/integrity/figures";
import { countRequest } from "@/server/ground/background/metrics";
import { inCallerLimit } from "@/server/ground/limits/concurrency";
import { announcePruning } from "@/server/retention/run";
import { call, createDevice, createOrg, createUser } from "@/testing/factories";
import { exposeMetrics } from "./expose-metrics";
import { queuesWatch, readQueues } from "./queues-watch";
import "./workers";

const ALERTS = "deploy/monitoring/alerts.yml";
const rule = z.object({
  alert: z.string(),
  expr: z.string(),
  labels: z.object({ severity: z.enum(["critical", "warning"]) }),
  annotations: z.object({ summary: z.string().min(1) }),
});
const rules = z
  .object({ groups: z.array(z.object({ rules: z.array(rule).min(1) })).min(1) })
  .parse(parse(readFileSync(ALERTS, "utf8")))
  .groups.flatMap((group) => group.rules);
const { panels } = z
  .object({ panels: z.array(z.object({ title: z.string(), targets: z.array(z.object({ expr: z.string() })).min(1) })) })
  .parse(JSON.parse(readFileSync("deploy/monitoring/dashboard.json", "utf8")));

afterAll(() => Promise.all([alarmWatch, figuresWatch, searchWorker, queuesWatch].map((watch) => watch.stop())));

const exposed = async (): Promise<string> =>
  (
    await exposeMetrics(new Request("http://127.0.0.1:3000/metrics", { headers: { "x-trailmark-peer": "127.0.0.1" } }))
  ).text();

/** The names of the samples, as a scrape of a process would keep them. */
const namesIn = (text: string): Set<string> =>
  new Set([...text.matchAll(/^(trailmark_\w+)(?:\{| )/gm)].map(([, name = ""]) => name));

const metricsOf = (expressions: string[]): string[] => [
  ...new Set(expressions.flatMap((expression) => expression.match(/\btrailmark_\w+/g) ?? [])),
];

it("every metric of the alerts and of the dashboard is one that the server exposes", async () => {
  for (const watch of [alarmWatch, figuresWatch, searchWorker, queuesWatch]) void watch.start();
  announcePruning();
  countRequest("/api/v1/me", 200, 1);
  noteWitnessed("example.org/log", true);
  await readChain({ kind: "system" }, async () => undefined);
  const late = ["trailmark_audit_lost_heads", "trailmark_retention_age_seconds", "trailmark_deliveries_pending"];
  for (const name of [...late, "trailmark_audit_search_behind_rows"])
    await expect.poll(async () => [...namesIn(await exposed())], { timeout: 60_000 }).toContain(name);
  const names = namesIn(await exposed());
  const wanted = metricsOf([...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr));
  expect(wanted.length).toBeGreaterThan(15);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
});

const metric = async (name: string): Promise<number> =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(await exposed())?.[1]);

it("what agents send, what waits and what is given up moves its metric", async () => {
  const device = await createDevice();
  const at = { timestamp: new Date().toISOString(), level: "info", message: "m" };
  const send = { token: device, params: { id: device.agentId } };
  const before = await Promise.all(["device_events", "diagnostic_logs"].map((n) => metric(`trailmark_${n}_total`)));
  const events = [{ ...at, category: "system", source: "s", eventId: "1" }];
  await call(putEvents, { ...send, method: "PUT", body: { events } });
  await call(putEvents, { ...send, method: "PUT", body: { events } });
  await call(postLogs, { ...send, method: "POST", body: { logs: [{ ...at, component: "c" }] } });
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

  const org = await createOrg();
  const admin = await createUser({ orgId: org.id, role: "org_admin" });
  const waited = (await readQueues()).exports;
  const asked = { orgId: org.id, orgIds: [org.id], createdBy: admin.id, filter: {} };
  await asSystem((tx) =>
    tx.insert(auditExports).values({
      ...asked,
      createdByType: "user",
      format: "csv",
      fileName: "audit-logs.csv",
      gzip: false,
      expiresAt: new Date(Date.now() + 3_600_000),
    }),
  );
  const queues = await readQueues();
  expect(queues.exports).toBe(waited + 1);
  expect(queues.exportsAge).toBeGreaterThanOrEqual(0);
  await asSystem((tx) => tx.delete(auditExports).where(eq(auditExports.createdBy, admin.id)));
});

it("every metric of an alert is on the dashboard", () => {
  const shown = new Set(metricsOf(panels.flatMap(({ targets }) => targets).map(({ expr }) => expr)));
  expect(metricsOf(rules.map(({ expr }) => expr)).filter((name) => !shown.has(name))).toEqual([
    "trailmark_process_max_fds",
  ]);
});

it("docs/monitoring.md says what each alert means and names no other", () => {
  const explained = [...readFileSync("docs/monitoring.md", "utf8").matchAll(/^\| `(Trailmark\w+)` \|/gm)];
  expect(explained.map(([, name]) => name).sort()).toEqual(rules.map(({ alert }) => alert).sort());
});
