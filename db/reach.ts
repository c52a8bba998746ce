import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { loginOf } from "./roles";
import { codeOf, messageOf } from "./thrown";
import { MigrationError } from "./version";

const REACH_MS = 15_000;
const NOT_YET = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT", "57P03"]);
/** Poolers' errors for a setting requested by a connection. */
const POOLER_ANSWER = /unsupported startup parameter/;
/** The driver's error if the server refuses TLS. */
const NO_TLS = /before secure TLS connection/;
const OLDEST_VERSION = 150_000;

type Address = {
  url: string;
  /** Owner of the address, for the message. */
  role: string;
  /** Advice if a pooler answers; without it poolers are allowed. */
  unlessPooled?: string;
  /** Time to wait for a server that does not answer yet, in milliseconds. */
  withinMs?: number;
};

type Server = { number: number; version: string; readOnly: boolean };

const hostOf = (url: string): string => url.replace(/^\w+:\/\/([^/]*@)?/, "").split(/[/?]/)[0] ?? "";

/** Sentence for an address without a reachable database. */
function whyNot(error: unknown, { url, role }: Address): string {
  const host = hostOf(url);
  const [code, message] = [codeOf(error), messageOf(error)];
  if (NO_TLS.test(message))
    return `The database at ${host} does not speak TLS, which the address of ${role} asks for (sslmode).`;
  if (NOT_YET.has(code) && code !== "57P03")
    return `The database at ${host} cannot be reached (${code}); the address is that of ${role}.`;
  return `The database at ${host} does not let ${role} "${loginOf(url).name}" in: ${message}`;
}

/** @throws MigrationError where PostgreSQL is too old */
function checkVersion({ number, version }: Server, host: string): void {
  if (number < OLDEST_VERSION)
    throw new MigrationError(`The database at ${host} is PostgreSQL ${version}; Trailmark needs 15 or newer.`);
}

/**
 * One connection to a writable database; waits a moment for a server that is starting, or being promoted to primary.
 * @throws MigrationError with a sentence for the operator
 */
export async function reach(address: Address): Promise<postgres.Sql> {
  const { url, role, unlessPooled, withinMs = REACH_MS } = address;
  const host = hostOf(url);
  const deadline = Date.now() + withinMs;
  const connection: Record<string, string> = unlessPooled ? { "trailmark.scope": "none" } : {};
  for (; ; await sleep(500)) {
    const sql = postgres(url, {
      max: 1,
      max_lifetime: null,
      connect_timeout: 5,
      prepare: false,
      connection,
      onnotice: () => {},
    });
    let why: string;
    try {
      const [server] = await sql<Server[]>`
        SELECT current_setting('server_version_num')::int AS number, current_setting('server_version') AS version,
          current_setting('transaction_read_only') = 'on' AS "readOnly"`;
      if (server) checkVersion(server, host);
      if (!server?.readOnly) return sql;
      await sql.end({ timeout: 1 });
      why = `The database at ${host} takes no writes: it is a replica, or read-only. The address of ${role} must lead to the primary.`;
    } catch (error) {
      await sql.end({ timeout: 1 });
      if (error instanceof MigrationError) throw error;
      if (unlessPooled && POOLER_ANSWER.test(messageOf(error)))
        throw new MigrationError(`The address of ${role} (${host}) leads to a pooler. ${unlessPooled}`);
      why = whyNot(error, address);
      if (!NOT_YET.has(codeOf(error))) throw new MigrationError(why);
    }
    if (Date.now() > deadline) throw new MigrationError(why);
  }
}
