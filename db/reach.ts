import { setTimeout as sleep } from "node:timers/promises";
import postgres from "postgres";
import { loginOf } from "./roles";
import { codeOf, messageOf } from "./thrown";
import { MigrationError } from "./version";

const REACH_MS = 15_000;
const NOT_YET = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "CONNECT_TIMEOUT", "57P03"]);
/** What poolers answer to a setting that a connection asks for. */
const POOLER_ANSWER = /unsupported startup parameter/;

type Address = {
  url: string;
  /** Whose address it is, for the message. */
  role: string;
  /** What to do when a pooler answers; without it one may. */
  unlessPooled?: string;
};

/**
 * One connection; a database server that starts at the same time as we do gets a moment.
 * @throws MigrationError with a sentence for the operator
 */
export async function reach({ url, role, unlessPooled }: Address): Promise<postgres.Sql> {
  const deadline = Date.now() + REACH_MS;
  const connection: Record<string, string> = unlessPooled ? { "trailmark.scope": "none" } : {};
  for (;;) {
    const sql = postgres(url, {
      max: 1,
      max_lifetime: null,
      connect_timeout: 5,
      prepare: false,
      connection,
      onnotice: () => {},
    });
    try {
      await sql`SELECT 1`;
      return sql;
    } catch (error) {
      await sql.end({ timeout: 1 });
      const [message, code] = [messageOf(error), codeOf(error)];
      const { host } = new URL(url);
      if (unlessPooled && POOLER_ANSWER.test(message))
        throw new MigrationError(`The address of ${role} (${host}) leads to a pooler. ${unlessPooled}`);
      if (!NOT_YET.has(code) || Date.now() > deadline)
        throw new MigrationError(`The database at ${host} does not let ${role} "${loginOf(url).name}" in: ${message}`);
      await sleep(500);
    }
  }
}
