import { readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { inParallel } from "@/bench/harness";
import { itemAt } from "@/server/ground/records";
import type { Server } from "@/testing/server";
import { tempFolder } from "@/testing/temp-folder";
import { type Credentials, json, prepare } from "./api";
import { withListener } from "./broken";
import { withOwnServer } from "./folder";
import type { Line } from "./line";

/** H4: requests that none of our clients would send, raw on the socket, with and without a credential. */

const AT_ONCE = 8;
const ANSWER_MS = 5_000;
const CONTROL_REQUESTS = 40;

type Raw = { kind: string; text: string };
type Make = (random: () => number, cursor: string) => Omit<Raw, "kind">;

const pick = <T>(random: () => number, of: readonly T[]): T => itemAt(of, Math.floor(random() * of.length));
const chars = (random: () => number, count: number, of = "AZaz09-_%.*/\\'\"<>{}[],:;=&?") =>
  Array.from({ length: count }, () => pick(random, [...of])).join("");
const JSON_TYPE = "Content-Type: application/json\r\n";

const get = (target: string) => ({ text: `GET ${target} HTTP/1.1\r\n` });
const post = (target: string, body: string, headers = JSON_TYPE) => ({
  text: `POST ${target} HTTP/1.1\r\n${headers}Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
});

const LISTS = ["/api/v1/audit-logs", "/api/v1/audit-logs/logs", "/api/v1/audit-logs/search"];
const JSON_LIKE = [
  "",
  "{",
  "[]",
  "null",
  '"x"',
  "{}}",
  '{"a":',
  '{"__proto__":{}}',
  "\\u0000",
  "[".repeat(5_000),
  "NaN",
  "1e999",
];

/** A real cursor with one character changed, removed or added. */
function altered(random: () => number, cursor: string): string {
  const at = Math.floor(random() * cursor.length);
  const other = pick(
    random,
    [..."ABCDxyz019-_"].filter((c) => c !== cursor[at]),
  );
  return pick(random, [
    cursor.slice(0, at) + other + cursor.slice(at + 1),
    cursor.slice(0, at) + cursor.slice(at + 1),
    cursor.slice(0, at) + other + cursor.slice(at),
    encodeURIComponent(chars(random, 40)),
  ]);
}

const KINDS: Record<string, Make> = {
  cursor: (random, cursor) => get(`${pick(random, LISTS)}?q=x1&cursor=${altered(random, cursor)}`),
  "batch too large": (random) => {
    const calls = Array(21 + Math.floor(random() * 200)).fill("me.get");
    return get(`/api/trpc/${calls.join(",")}?batch=1&input={}`);
  },
  "batch body": (random) =>
    post(`/api/trpc/users.update,organizations.update?batch=1`, pick(random, JSON_LIKE.slice(0, 3))),
  input: (random) =>
    get(`/api/trpc/users.list?input=${encodeURIComponent(pick(random, ["\0", "{", "undefined", "'"]))}`),
  procedure: (random) => get(`/api/trpc/no.${encodeURIComponent(chars(random, 12)).replaceAll(".", "")}`),
  "procedure's method": (random) =>
    pick(random, [get("/api/trpc/organizations.update"), post("/api/trpc/me.get", "{}")]),
  "content type": (random) =>
    post(
      pick(random, ["/api/trpc/organizations.update", "/api/v1/users"]),
      "<a/>",
      `Content-Type: ${pick(random, ["text/xml", "multipart/form-data", "x", ""])}\r\n`,
    ),
  body: (random) => post(pick(random, ["/api/v1/auth/token", "/api/v1/agents/enroll"]), pick(random, JSON_LIKE)),
  method: (random) => ({
    text: `${pick(random, ["PUT", "PURGE", "TRACE", "PROPFIND", "OPTIONS", "LINK"])} ${pick(random, ["/api/v1/me", "/devices", "/api/trpc/me.get"])} HTTP/1.1\r\n`,
  }),
  "no method": (random) => ({ text: `${chars(random, 6, "QXZJ")} / HTTP/1.1\r\n` }),
  asterisk: (random) => ({ text: `${pick(random, ["GET", "OPTIONS", "POST", "DELETE"])} * HTTP/1.1\r\n` }),
  "another host": (random) =>
    get(
      `${pick(random, ["http", "https"])}://${pick(random, ["evil.test", "x:1", "[::1]"])}/${pick(random, ["devices", "", "api/v1/me", "login"])}`,
    ),
  "no target": (random) => get(pick(random, ["evil", "?x", "ftp://x/", "http:", "\\", "@x"])),
  tunnel: () => ({ text: "CONNECT evil.test:443 HTTP/1.1\r\n" }),
  header: (random) => ({
    text: `GET /api/v1/me HTTP/1.1\r\n${pick(random, ["Bad Header: x", "X-Big: ".padEnd(20_000, "x"), "Transfer-Encoding: chunked\r\nContent-Length: 3", "Content-Length: -1", "X: a\0b", ": x"])}\r\n`,
  }),
  upgrade: (random) => ({
    text: `GET /api/v1/nothing HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: ${pick(random, ["h2c", "websocket", "x"])}\r\n`,
  }),
  credential: (random) => ({
    text: `GET /api/v1/me HTTP/1.1\r\nAuthorization: ${pick(random, ["Bearer", "Basic x", `Bearer ${chars(random, 30, "abc._-")}`, "tmk_x"])}\r\n`,
  }),
  id: (random) => get(`/api/v1/audit-logs/logs/${encodeURIComponent(chars(random, 20))}`),
};

/** Kinds whose fault another credential would hide. */
const WITHOUT = new Set(["credential"]);

function withCredential({ text }: Omit<Raw, "kind">, token: string | null): string {
  const line = text.indexOf("\r\n") + 2;
  const auth = token ? `Authorization: Bearer ${token}\r\n` : "";
  const full = `${text.slice(0, line)}Host: 127.0.0.1\r\nConnection: close\r\n${auth}${text.slice(line)}`;
  return full.includes("\r\n\r\n") ? full : `${full}\r\n`;
}

/** True for a complete answer: after some refusals the connection stays open. */
function isWhole(answer: string): boolean {
  const end = answer.indexOf("\r\n\r\n");
  const length = /^content-length: *(\d+)/im.exec(answer)?.[1];
  return end >= 0 && length !== undefined && answer.length >= end + 4 + Number(length);
}

/** A missing answer may be late: only the third one is a fault. */
async function send(port: number, text: string): Promise<string> {
  let answer = "";
  for (let n = 0; n < 3 && answer === ""; n++) answer = await sendOnce(port, text);
  return answer;
}

function sendOnce(port: number, text: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect(port, "127.0.0.1");
    let answer = "";
    const timer = setTimeout(() => socket.destroy(), ANSWER_MS);
    socket.setEncoding("latin1").on("data", (chunk: string) => {
      if (answer.length < 50_000) answer += chunk;
      if (isWhole(answer)) socket.destroy();
    });
    socket
      .on("error", () => {})
      .on("close", () => {
        clearTimeout(timer);
        resolve(answer);
      });
    socket.write(Buffer.from(text, "latin1"));
  });
}

/** Fault of an answer; null for a refusal in the contract's form. */
function faultOf(answer: string): string | null {
  const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0);
  if (status < 400 || status >= 500) return `status ${status}`;
  return /node_modules|\.m?[jt]s:\d+|SELECT |postgres/i.test(answer) ? "tells of the inside" : null;
}

async function attack(port: number, requests: Raw[]): Promise<string[]> {
  const faults: string[] = [];
  await inParallel(AT_ONCE, requests, async ({ kind, text }) => {
    const fault = faultOf(await send(port, text));
    if (fault) faults.push(`${kind}: ${fault} to ${text.split("\r\n")[0]?.slice(0, 100)}`);
  });
  return faults;
}

/** A server with our former failures, all of which must be detected. */
const control = (requests: Raw[]): Promise<number> =>
  withListener(
    (_, outgoing) => outgoing.writeHead(500).end("Error\n    at x (/app/server.js:1:2)"),
    async (base) => (await attack(Number(new URL(base).port), requests)).length,
  );
/** Kinds that a plain server refuses by itself. */
const REFUSED = new Set(["no method", "header", "tunnel", "no target"]);

async function cursorOf(at: { base: string }, { accessToken: token }: Credentials): Promise<string> {
  type Page = { pagination: { nextCursor: string | null } };
  const { pagination } = await json<Page>(at, "/audit-logs?limit=1", { token });
  if (!pagination.nextCursor) throw new Error("the list has no second page");
  return pagination.nextCursor;
}

const errorsIn = (log: string): string[] => log.split("\n").filter((line) => /"level":"(error|fatal)"/.test(line));

/** Requests of every kind, with and without a credential. */
const requestsOf = (random: () => number, cursor: string, token: string): Raw[] =>
  Object.entries(KINDS).flatMap(([kind, make]) => {
    const created = make(random, cursor);
    const tokens = WITHOUT.has(kind) ? [null] : [null, token];
    return tokens.map((one) => ({ kind, text: withCredential(created, one) }));
  });

export const malformedRequests: Line = {
  id: "H4",
  title: "malformed requests, with and without a credential",
  ...{ quick: 4, full: 160 },
  run({ rounds, random }, found) {
    const logFile = join(tempFolder(), "server.log");
    const run = async (server: Server) => {
      const credentials = await prepare(server);
      // The pages' framework adds its own to the server once it has served one.
      await fetch(`${server.base}/login`);
      const cursor = await cursorOf(server, credentials);
      const rows = Array.from({ length: rounds }, () => requestsOf(random, cursor, credentials.accessToken)).flat();
      found.tried = rows.length;
      found.faults(await attack(server.port, rows));
      found.faults(errorsIn(readFileSync(logFile, "utf8")).map((line) => `logged ${line.slice(0, 200)}`));
      const sample = rows.slice(0, CONTROL_REQUESTS).filter(({ kind }) => !REFUSED.has(kind));
      found.control("a server with our former failures", await control(sample), sample.length);
    };
    return withOwnServer(run, { logFile });
  },
};
