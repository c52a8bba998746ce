import { type ClientRequest, type RequestListener, request } from "node:http";
import { connect } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import { gzipSync } from "node:zlib";
import { peakMiB, residentMiB } from "@/bench/processes";
import type { Server } from "@/testing/server";
import { type Credentials, prepare, submit } from "./api";
import { withListener } from "./broken";
import { bystander, type Caller, type Verb } from "./flood";
import { withServer } from "./folder";
import { type Line, retryLate } from "./line";
import { type Answered, type Body, send } from "./request";

/** F4: requests that cost the server much more than their sender. */

const TIMEOUT_MS = 5_000;
/** Up to here a late answer is awaited. */
const GIVE_UP_MS = 4 * TIMEOUT_MS;
const MAX_GROWTH_MB = 100;
/** Delays below this are not noticeable; a quick run on a busy machine only checks that others are not shut out. */
const NOTICED_MS = 250;
const MIB = 1024 * 1024;
const LORIS_SOCKETS = 40;
const EXPORTS = 50;
const BODIES = 4;

type Target = { server: Server; credentials: Credentials };
const bearer = (token: string, more: Record<string, string> = {}) => ({ Authorization: `Bearer ${token}`, ...more });
const JSON_TYPE = { "Content-Type": "application/json" };

/** Writes as fast as accepted, until the connection is cut. */
const endless = (bytes: number) => (to: ClientRequest) => {
  const block = Buffer.alloc(256 * 1024, 0x20);
  let left = bytes;
  const more = () => {
    while (left > 0 && !to.destroyed) {
      left -= block.length;
      if (!to.write(block)) return void to.once("drain", more);
    }
    if (!to.destroyed) to.end();
  };
  more();
};

/** isLate: only the duration is wrong. */
type Fault = { what: string; isLate: boolean };
type Attack = { name: string; run: (target: Target) => Promise<Fault[]> };
const expectAll = (seen: Answered[], right: (status: number) => boolean): Fault[] =>
  seen
    .filter(({ status, ms }) => !right(status) || ms > TIMEOUT_MS)
    .map(({ status, head, isSilent, ms }) => ({
      what: `${status} ${/"code":"(\w+)"/.exec(head)?.[1] ?? ""} after ${Math.round(ms)} ms`,
      isLate: right(status) || isSilent,
    }));

const bodyAttack = (
  name: string,
  status: number,
  build: () => { headers?: Record<string, string>; body: Body },
): Attack => ({
  name,
  run: async ({ server, credentials: { agentId, agentToken } }) => {
    const url = `${server.base}/api/v1/agents/${agentId}/logs`;
    const one = () => {
      const { headers, body } = build();
      return send(url, { headers: bearer(agentToken, { ...JSON_TYPE, ...headers }), body, timeoutMs: GIVE_UP_MS });
    };
    return expectAll(await Promise.all(Array.from({ length: BODIES }, one)), (found) => found === status);
  },
});

const wild = "%_".repeat(120);
const QUERIES = (orgId: string): string[] => {
  const text = encodeURIComponent(wild);
  return [
    `/audit-logs?orgId=${orgId}&user=${text}&action=${text}&resource=${text}`,
    `/audit-logs/logs?orgId=${orgId}&resource=${encodeURIComponent("%\\_".repeat(80))}`,
    `/audit-logs/search?orgId=${orgId}&q=${text}`,
    `/audit-logs/search?orgId=${orgId}&q=${encodeURIComponent("%_%")}`,
    `/devices?search=${text}&os=${text}`,
    `/audit-logs?orgId=${orgId}&page=1000000000&limit=100`,
    `/audit-logs/logs?orgId=${orgId}&page=999999999999999&limit=100`,
    `/audit-logs/search?orgId=${orgId}&q=torture&page=1000000000`,
    "/devices?page=1000000000",
    `/users?page=1000000000&search=${text}`,
  ];
};

/** Sockets that send the start of a request byte by byte. @returns those still open after the timeout */
async function slowLoris({ server }: Target): Promise<Fault[]> {
  const sockets = Array.from({ length: LORIS_SOCKETS }, () => {
    const socket = connect(server.port, "127.0.0.1");
    socket.on("error", () => {}).on("data", () => {});
    socket.write("POST /api/v1/agents/enroll HTTP/1.1\r\nHost: x\r\n");
    return socket;
  });
  let open = LORIS_SOCKETS;
  for (const socket of sockets) socket.once("close", () => open--);
  const drip = setInterval(() => {
    for (const socket of sockets) if (socket.writable) socket.write("X");
  }, 500);
  const deadline = Date.now() + TIMEOUT_MS + 500;
  while (open > 0 && Date.now() < deadline) await sleep(50);
  clearInterval(drip);
  const held = open;
  for (const socket of sockets) socket.destroy();
  return held > 0 ? [{ what: `${held} of ${LORIS_SOCKETS} still open`, isLate: true }] : [];
}

/** Concurrent exports: half read, half stall without reading, then disconnect. */
async function exportsAtOnce({ server, credentials: { accessToken, orgId } }: Target): Promise<Fault[]> {
  const body = Buffer.from(JSON.stringify({ format: "csv", orgId }));
  const url = `${server.base}/api/v1/audit-logs/export`;
  const headers = bearer(accessToken, JSON_TYPE);
  const one = (_: unknown, at: number) => {
    if (at % 2 === 0) return send(url, { headers, body, timeoutMs: GIVE_UP_MS });
    return new Promise<Answered>((resolve) => {
      const outgoing = request(url, { method: "POST", headers, agent: false }, (answer) => answer.pause());
      outgoing.on("error", () => {}).end(body);
      setTimeout(() => {
        outgoing.destroy();
        resolve({ status: 200, head: "", isSilent: false, ms: 0 });
      }, 3_000);
    });
  };
  const seen = await Promise.all(Array.from({ length: EXPORTS }, one));
  // Some requests of a caller succeed, the others are told to retry: none may fail or wait long.
  const wrong = expectAll(seen, (status) => status === 200 || status === 429);
  if (!seen.some(({ status }) => status === 429)) wrong.push({ what: "none was refused", isLate: false });
  return wrong;
}

const ATTACKS = (full: boolean): Attack[] => {
  const bomb = gzipSync(Buffer.alloc((full ? 512 : 64) * MIB, 0x20));
  const deep = Buffer.from("[".repeat(100_000) + "]".repeat(100_000));
  const deepObject = Buffer.from(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}`);
  const large = 100 * MIB;
  return [
    bodyAttack("gzip bomb", 413, () => ({ headers: { "Content-Encoding": "gzip" }, body: bomb })),
    bodyAttack("100 MB body", 413, () => ({ headers: { "Content-Length": String(large) }, body: endless(large) })),
    bodyAttack("100 MB body in chunks", 413, () => ({ body: endless(large) })),
    bodyAttack("nested 100,000 deep", 400, () => ({ body: deep })),
    bodyAttack("objects 100,000 deep", 400, () => ({ body: deepObject })),
    {
      name: "wildcards and far pages",
      run: async ({ server, credentials: { accessToken, orgId } }) => {
        const headers = bearer(accessToken);
        const ask = (path: string) => send(`${server.base}/api/v1${path}`, { headers, timeoutMs: GIVE_UP_MS });
        return expectAll(await Promise.all(QUERIES(orgId).map(ask)), (status) => status === 200 || status === 400);
      },
    },
    { name: "slow loris", run: slowLoris },
    { name: `${EXPORTS} exports at once`, run: exportsAtOnce },
  ];
};

/** Another tenant that only wants the first page of its log, again and again. */
const beside = (other: Caller) => bystander({ caller: other, everyday: [FIRST_PAGE], timeoutMs: PATIENCE_MS });

const FIRST_PAGE: Verb = {
  name: "first page",
  path: ({ orgId }) => `/api/v1/audit-logs?orgId=${orgId}&limit=20`,
};
/** Longer than any answer may take: others who get none at all are not just late. */
const PATIENCE_MS = 60_000;

/** A server that reads everything. */
const readsAll: RequestListener = (incoming, outgoing) => {
  incoming.resume().once("end", () => outgoing.writeHead(202).end());
};

/** Runs the body attacks on such a server. @returns how many succeeded, and how many ran */
async function control(target: Target): Promise<[number, number]> {
  const attacks = ATTACKS(false).filter(({ name }) => /bomb|deep/.test(name));
  const seen = await Promise.all(attacks.map(({ run }) => run(target)));
  return [seen.filter((wrong) => wrong.length > 0).length, attacks.length];
}

type Suffered = { note: string; faults: Fault[] };

/** othersMs: maximum wait of the other tenant. */
type Scene = { target: Target; other: Caller; othersMs: number };

/** Runs one attack while another tenant continues. */
async function suffer({ name, run }: Attack, { target, other, othersMs }: Scene): Promise<Suffered> {
  const { pid = 0 } = target.server.child;
  const start = residentMiB(pid);
  const others = beside(other);
  const started = Date.now();
  let [wrong, took]: [Fault[], number] = [[], 0];
  const peak = await peakMiB(pid, async () => {
    wrong = await run(target);
    took = Date.now() - started;
  });
  const { p95, refused } = await others();
  const growth = Math.round(peak - start);
  // Lists faults other than lateness first.
  const faults = wrong.sort((a, b) => Number(a.isLate) - Number(b.isLate)).slice(0, 3);
  if (growth > MAX_GROWTH_MB) faults.push({ what: `memory grew by ${growth} MB`, isLate: false });
  if (refused > 0) faults.push({ what: `others were refused ${refused} times`, isLate: false });
  if (p95 > othersMs) faults.push({ what: `others waited ${Math.round(p95)} ms`, isLate: true });
  return { note: `${name} ${took} ms +${growth} MB (others' p95 ${Math.round(p95)} ms)`, faults };
}

export const costlyRequests: Line = {
  id: "F4",
  title: "requests meant to exhaust the server",
  ...{ quick: 1, full: 50 },
  run: (input, found) =>
    withServer(async (server) => {
      const { isFull } = input;
      const target = { server, credentials: await prepare(server) };
      const { orgId, accessToken: token } = await prepare(server);
      const other: Caller = { base: server.base, orgId, token };
      // Rows to export.
      await submit(server, target.credentials, { count: isFull ? 10_000 : 2_000, details: { text: "x".repeat(300) } });
      const calm = beside(other);
      await sleep(1_000);
      const { p95: before } = await calm();
      found.note(`others' p95 before ${Math.round(before)} ms`);
      const scene = { target, other, othersMs: isFull ? Math.max(2 * before, NOTICED_MS) : TIMEOUT_MS };
      const isOnlyLate = ({ faults }: Suffered) => faults.length > 0 && faults.every(({ isLate }) => isLate);
      for (const attack of ATTACKS(isFull)) {
        const { note, faults } = await retryLate(input, () => suffer(attack, scene), isOnlyLate);
        found.tried++;
        found.note(note);
        found.faults(faults.map(({ what }) => `${attack.name}: ${what}`));
      }
      const [seen, asked] = await withListener(readsAll, (base) => control({ ...target, server: { ...server, base } }));
      found.control("a reader without a limit", seen, asked);
    }),
};
