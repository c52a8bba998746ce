import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { Server } from "@/testing/server";
import { createEvents, createKey, prepare, signIn, submit } from "./api";
import { bystander, type Caller, flood, type Verb } from "./flood";
import { withServer } from "./folder";
import type { Line } from "./line";
import { tallied } from "./load";

/** H2: one caller repeats the most expensive requests; others are answered, and everything recovers. */

const AT_ONCE = 200;
const QUICK_ROWS = 5_000;
const FULL_ROWS = 200_000;
const QUICK_MS = 2_000;
const FULL_MS = 10_000;
/** Others' p95 during a flood on two cores; a quick run on a busy machine only checks that others are not shut out. */
const MAX_P95_MS = 250;
/** After this, others wait no longer than before the flood, or only negligibly longer. */
const RECOVERED_MS = 1_000;
const NOTICED_MS = 100;
/** Others without an answer within this time were shut out; quick runs share the machine. */
const TIMEOUT_MS = 10_000;
const QUICK_TIMEOUT_MS = 30_000;

const procedure = (name: string, input: object): string =>
  `/api/trpc/${name}?input=${encodeURIComponent(JSON.stringify(input))}`;
const batch = (names: string[], input: object): string =>
  `/api/trpc/${names.join(",")}?batch=1&input=${encodeURIComponent(JSON.stringify(Object.fromEntries(names.map((_, i) => [i, input]))))}`;
const FOUND = { q: "tortur", from: "2020-01-01T00:00:00.000Z", to: "2030-01-01T00:00:00.000Z" };

/** Also the request of the control: each of its callers has its own share. */
const SEARCH: Verb = {
  name: "search",
  path: ({ orgId }) => `/api/v1/audit-logs/search?orgId=${orgId}&q=tortur`,
};

const VERBS: Verb[] = [
  { name: "page", path: () => "/", viaCookie: true },
  { name: "integrity", path: ({ orgId }) => `/api/v1/audit-logs/integrity?orgId=${orgId}` },
  { name: "evidence", path: ({ orgId }) => `/api/v1/audit-logs/evidence?orgId=${orgId}` },
  { name: "export", path: () => "/api/v1/audit-logs/export", body: ({ orgId }) => ({ format: "csv", orgId }) },
  SEARCH,
  { name: "list of words", path: ({ orgId }) => `/api/v1/audit-logs/logs?orgId=${orgId}&q=x%20tortur` },
  { name: "report", path: ({ orgId }) => `/api/v1/audit-logs/reports/user-activity?orgId=${orgId}` },
  { name: "facets", path: ({ orgId }) => procedure("audit.facets", { ...FOUND, orgId }) },
  { name: "histogram", path: ({ orgId }) => procedure("audit.histogram", { ...FOUND, orgId }) },
  { name: "batches of 20", path: ({ orgId }) => batch(Array(20).fill("audit.facets"), { ...FOUND, orgId }) },
  { name: "a stranger's page", path: () => "/login", isOpen: true },
  { name: "no page", path: () => `/${randomUUID()}.png`, isOpen: true },
  // Last, because after so many failures the client can no longer sign in from there.
  {
    name: "sign-in",
    path: () => "/api/v1/auth/token",
    body: () => ({ email: `${randomUUID()}@trailmark.example`, password: "a wrong password" }),
    isOpen: true,
  },
];

/** One of each kind: rendered, shared, streamed, batched, and CPU-bound. */
const QUICK_VERBS = new Set(["page", "integrity", "export", "batches of 20", "a stranger's page", "sign-in"]);
const EXPECTED = new Set([0, 200, 207, 401, 404, 429]);

/** Requests of another tenant all the while: its first page, a search, five events. */
const EVERYDAY: Verb[] = [
  { name: "first page", path: ({ orgId }) => `/api/v1/audit-logs/logs?orgId=${orgId}&limit=50` },
  { name: "search", path: ({ orgId }) => `/api/v1/audit-logs/search?orgId=${orgId}&q=WS-042` },
  { name: "events", path: () => "/api/v1/audit-logs/events", body: () => ({ events: createEvents(5, TEXT) }) },
];

const TEXT = { text: "x ".repeat(100) };

/** An organization with entries, and a key that may read, export and write. */
async function createCaller(server: Server, rows: number): Promise<Caller> {
  const credentials = await prepare(server);
  const token = await createKey(server, credentials, ["audit:read", "audit:export", "audit:write"]);
  await submit(server, credentials, { count: rows, details: TEXT });
  return { base: server.base, orgId: credentials.orgId, token };
}

/** A key per request in flight: the product without limits per caller. */
async function manyCallers(server: Server, { orgId }: Caller): Promise<Caller[]> {
  const owner = { orgId, accessToken: await signIn(server) };
  const callers: Caller[] = [];
  for (let i = 0; i < AT_ONCE; i++)
    callers.push({ base: server.base, orgId, token: await createKey(server, owner, ["audit:read"]) });
  return callers;
}

type Measure = { other: Caller; full: boolean };
type Measured = { note: string; faults: string[]; times: number };

/** Measures others right before and during a flood, so that other load affects both. */
async function measure({ other, full }: Measure, verb: Verb, callers: readonly Caller[]): Promise<Measured> {
  const [ms, timeoutMs] = full ? [FULL_MS, TIMEOUT_MS] : [QUICK_MS, QUICK_TIMEOUT_MS];
  const watch = () => bystander({ caller: other, everyday: EVERYDAY, timeoutMs });
  const calm = watch();
  await sleep(ms / 2);
  const before = await calm();
  const busy = watch();
  const answers = await flood({ verb, callers, atOnce: AT_ONCE, ms: verb.isOpen ? QUICK_MS : ms, timeoutMs });
  const { p95, refused, asked } = await busy();
  const faults: string[] = [];
  if (refused > 0) faults.push(`others were refused ${refused} times`);
  if (full && p95 > MAX_P95_MS) faults.push(`others waited ${Math.round(p95)} ms`);
  await sleep(RECOVERED_MS);
  const recovered = watch();
  await sleep(ms / 2);
  const after = await recovered();
  if (after.refused > 0) faults.push(`others were refused ${after.refused} times after it`);
  if (full && after.p95 > Math.max(2 * before.p95, NOTICED_MS))
    faults.push(`others waited ${Math.round(after.p95)} ms after it`);
  if (!answers.has(429)) faults.push("nothing was answered 429");
  for (const status of answers.keys()) if (!EXPECTED.has(status)) faults.push(`answered ${status}`);
  const summary = tallied([...answers].filter(([status]) => status > 0));
  const waited = `others' p95 ${before.p95.toFixed(0)} -> ${p95.toFixed(0)} -> ${after.p95.toFixed(0)} ms of ${asked}`;
  return { note: `${summary}; ${waited}`, faults, times: p95 / before.p95 };
}

export const fairShares: Line = {
  id: "H2",
  title: "200 concurrent expensive requests by one caller",
  ...{ quick: 1, full: 10 },
  run: ({ isFull: full, progress }, found) =>
    withServer(async (server) => {
      progress("making two organizations");
      const attacker = await createCaller(server, full ? FULL_ROWS : QUICK_ROWS);
      const other = await createCaller(server, full ? 2_000 : 500);
      const many = await manyCallers(server, attacker);
      let worst = 0;
      for (const verb of full ? VERBS : VERBS.filter(({ name }) => QUICK_VERBS.has(name))) {
        progress(verb.name);
        const isSession = verb.viaCookie || verb.path(attacker).startsWith("/api/trpc");
        const caller = isSession ? { ...attacker, token: await signIn(server) } : attacker;
        const { note, faults, times } = await measure({ other, full }, verb, [caller]);
        found.tried++;
        found.note(`${verb.name}: ${note}`);
        found.faults(faults.map((fault) => `${verb.name}: ${fault}`));
        worst = Math.max(worst, times);
      }
      found.note(`others' p95 beside the worst ${worst.toFixed(1)} times that before`);
      // Last, because the requests of so many callers continue for a while.
      progress("control");
      const unbound = await measure({ other, full }, SEARCH, many);
      found.control(`${SEARCH.name} by 200 callers`, Math.min(1, unbound.faults.length));
      found.note(`${unbound.note}: ${unbound.faults.join(", ")}`);
    }),
};
