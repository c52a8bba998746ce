import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "@/testing/server";
import { bystander, type Caller, flood, type Verb } from "./flood";
import { withServer } from "./folder";
import { prepare, signIn } from "./load";
import type { Line } from "./types";

/** H2: one caller asks for what costs most, as often as it can; the others go on as if it were not there. */

const AT_ONCE = 200;
const EVENTS_PER_POST = 500;
const QUICK_ROWS = 5_000;
const FULL_ROWS = 200_000;
const QUICK_MS = 2_000;
const FULL_MS = 10_000;
const FULL_ROUNDS = 10;
/** Below this nobody notices; a quick run on a busy machine only sees that others are not shut out. */
const NOTICED_MS = 250;
/** Others who are not answered within this were shut out; a quick run is made on machines that do other things as well. */
const TIMEOUT_MS = 10_000;
const QUICK_TIMEOUT_MS = 30_000;

const procedure = (name: string, input: object): string =>
  `/api/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`;
const batch = (names: string[], input: object): string =>
  `/api/trpc/${names.join(",")}?batch=1&input=${encodeURIComponent(JSON.stringify(Object.fromEntries(names.map((_, i) => [i, input]))))}`;
const RANGE = { from: "2020-01-01T00:00:00.000Z", to: "2030-01-01T00:00:00.000Z" };

const VERBS: Verb[] = [
  { name: "page", method: "GET", path: () => "/", viaCookie: true },
  { name: "integrity", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/integrity?orgId=${orgId}` },
  { name: "evidence", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/evidence?orgId=${orgId}` },
  {
    name: "export",
    method: "POST",
    path: () => "/api/v1/audit-logs/export",
    body: ({ orgId }) => ({ format: "csv", orgId }),
  },
  { name: "search", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/search?orgId=${orgId}&q=tortur` },
  { name: "list of words", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/logs?orgId=${orgId}&q=x%20tortur` },
  { name: "report", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/reports/user-activity?orgId=${orgId}` },
  { name: "facets", method: "GET", path: ({ orgId }) => procedure("audit.facets", { orgId, q: "tortur", ...RANGE }) },
  {
    name: "histogram",
    method: "GET",
    path: ({ orgId }) => procedure("audit.histogram", { orgId, q: "tortur", ...RANGE }),
  },
  {
    name: "batches of 20",
    method: "GET",
    path: ({ orgId }) =>
      batch(
        Array.from({ length: 20 }, () => "audit.facets"),
        { orgId, q: "tortur", ...RANGE },
      ),
  },
];

/** One of each kind: rendered, shared by all who ask, streamed, many in one. */
const QUICK_VERBS = new Set(["page", "integrity", "export", "batches of 20"]);

/** What another tenant does all the while: its first page, a search, five events. */
const EVERYDAY: Verb[] = [
  { name: "first page", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/logs?orgId=${orgId}&limit=50` },
  { name: "search", method: "GET", path: ({ orgId }) => `/api/v1/audit-logs/search?orgId=${orgId}&q=WS-042` },
  { name: "events", method: "POST", path: () => "/api/v1/audit-logs/events", body: () => ({ events: events(5) }) },
];

const events = (count: number): object[] =>
  Array.from({ length: count }, () => ({
    actorType: "system",
    actorId: "torture",
    action: "device.update",
    resourceType: "device",
    resourceName: "T",
    details: { id: randomUUID(), text: "x ".repeat(100) },
    result: "success",
  }));

/** An organization with so many entries, and a key of its own that may read, export and write. */
async function createCaller(server: Server, rows: number): Promise<Caller> {
  const { orgId, accessToken } = await prepare(server.base);
  const post = async (path: string, token: string, body: object) => {
    const answer = await fetch(`${server.base}/api/v1${path}`, {
      method: "POST",
      headers: { Authorization: `Bearer ${token}`, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return answer.json();
  };
  const { key } = await post("/api-keys", accessToken, {
    name: "caller",
    orgId,
    permissions: ["audit:read", "audit:export", "audit:write"],
  });
  for (let at = 0; at < rows; at += EVENTS_PER_POST)
    await post("/audit-logs/events", key, { events: events(EVENTS_PER_POST) });
  return { base: server.base, orgId, token: key };
}

export const fairSharesLine: Line = {
  id: "H2",
  title: "one caller asks for the most expensive things, 200 at once",
  run: ({ rounds, progress }) =>
    withServer(async (server) => {
      const full = rounds >= FULL_ROUNDS;
      const began = performance.now();
      progress("making two organizations");
      const [ms, timeoutMs] = full ? [FULL_MS, TIMEOUT_MS] : [QUICK_MS, QUICK_TIMEOUT_MS];
      const attacker = await createCaller(server, full ? FULL_ROWS : QUICK_ROWS);
      const other = await createCaller(server, full ? 2_000 : 500);
      const calm = bystander(other, EVERYDAY, timeoutMs);
      await sleep(ms);
      const before = await calm.end();
      const seconds = () => Math.round((performance.now() - began) / 1_000);
      const faults: string[] = [];
      const notes: string[] = [];
      let worst = 0;
      const verbs = full ? VERBS : VERBS.filter(({ name }) => QUICK_VERBS.has(name));
      for (const verb of verbs) {
        const caller =
          verb.viaCookie || verb.path(attacker).startsWith("/api/trpc")
            ? { ...attacker, token: await signIn(server.base) }
            : attacker;
        progress([`${verb.name}, after ${seconds()} s`, ...notes].join("; "));
        const beside = bystander(other, EVERYDAY, timeoutMs);
        const answers = await flood({ verb, caller, atOnce: AT_ONCE, ms, timeoutMs: timeoutMs });
        const { p95, refused, asked } = await beside.end();
        const statuses = [...answers].filter(([status]) => status > 0).map(([status, count]) => `${status} x${count}`);
        notes.push(`${verb.name}: ${statuses.join(" ")}; others' p95 ${Math.round(p95)} ms of ${asked}`);
        if (refused > 0) faults.push(`${verb.name}: others were refused ${refused} times`);
        worst = Math.max(worst, p95 / before.p95);
        if (full && p95 > Math.max(2 * before.p95, NOTICED_MS))
          faults.push(`${verb.name}: others waited ${Math.round(p95)} ms`);
        if (!answers.has(429)) faults.push(`${verb.name}: nothing was answered 429`);
        for (const status of answers.keys())
          if (![0, 200, 207, 429].includes(status)) faults.push(`${verb.name}: answered ${status}`);
      }
      return {
        tried: verbs.length,
        failed: faults.length,
        detail: [
          `others' p95 before ${before.p95.toFixed(1)} ms of ${before.asked}, beside the worst ${worst.toFixed(1)} times that`,
          ...notes,
          ...faults,
        ].join(";\n    "),
      };
    }),
};
