import { readFileSync } from "node:fs";
import { afterAll, expect, it } from "vitest";
import { parse } from "yaml";
import { z } from "zod";
import { readChain } from "@/server/audit/chain/chain-stream";
import { alarmWatch } from "@/server/audit/integrity/alarm-watch";
import { noteWitnessed } from "@/server/audit/witnesses/witnessed-age";
import { announcePruning } from "@/server/retention/worker";
import { exposeMetrics } from "./expose-metrics";
import { countRequest } from "./metrics";

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

afterAll(() => alarmWatch.stop());

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
  alarmWatch.start();
  announcePruning();
  countRequest("/api/v1/me", 200, 1);
  noteWitnessed("example.org/log", true);
  await readChain({ kind: "system" }, async () => undefined);
  await expect.poll(async () => [...namesIn(await exposed())]).toContain("trailmark_audit_lost_heads");
  const names = namesIn(await exposed());
  const wanted = metricsOf([...rules, ...panels.flatMap(({ targets }) => targets)].map(({ expr }) => expr));
  expect(wanted.length).toBeGreaterThan(15);
  expect(wanted.filter((name) => !names.has(name))).toEqual([]);
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
