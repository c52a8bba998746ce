import { type Credentials, prepare, submit } from "@/bench/torture/api";
import { type Site, withOwner } from "@/bench/torture/folder";
import type { runProduct, startProduct } from "@/bench/torture/product";
import { until } from "@/bench/until";
import { isReady, killPostgres, killServer, type Server } from "@/testing/server";

/** Kills of a full run, and of a control. */
export const KILLS = { quick: 2, full: 20, slow: true } as const;
export const ONE_KILL = { quick: 1, full: 1, slow: true } as const;

/** Waits until the server answers after its database was killed. */
const untilReady = ({ base }: Server): Promise<void> => until("ready", () => isReady(base));

/** Kills the server, and every third time PostgreSQL below it; both are back afterwards. */
export async function killOne(server: Site, round: number): Promise<void> {
  if (round % 3 === 2) {
    await killPostgres(server.dataDir);
    await untilReady(server);
  } else {
    await killServer(server);
    await server.start();
  }
}

type Chain = { rows: number; head: number; pruned: number };

/** Length of an organization's chain by its head, and its number of rows. */
export const chainOf = (server: Server, orgId: string): Promise<Chain> =>
  withOwner(server, async (sql) => {
    const [row] = await sql<Chain[]>`
      SELECT h.seq::int AS head, h.pruned_through_seq::int AS pruned,
        (SELECT count(*)::int FROM audit_logs a WHERE a.org_id = h.org_id) AS rows
      FROM audit_chain_heads h WHERE h.org_id = ${orgId}`;
    return row ?? { rows: 0, head: 0, pruned: 0 };
  });

/** Waits until a role or a database has no session: a killed process may leave one for a moment. */
export const untilLeft = (server: Server, column: "datname" | "usename", name: string): Promise<void> =>
  until(`the end of the sessions of ${name}`, () =>
    withOwner(server, async (sql) => {
      const left = await sql`SELECT FROM pg_stat_activity WHERE ${sql(column)} = ${name} LIMIT 1`;
      return left.length === 0;
    }),
  );

type Program = ReturnType<typeof startProduct>;

/** Kills a running program, and every third time PostgreSQL below it instead. @returns how it ended */
export async function killProgram(
  server: Server,
  { child, ended }: Program,
  round: number,
): ReturnType<typeof runProduct> {
  if (round % 3 === 2) await killPostgres(server.dataDir);
  else child.kill("SIGKILL");
  const ran = await ended;
  await untilReady(server);
  return ran;
}

/** Adds entries to an organization's log and waits for them. */
export async function addEntries(server: Server, credentials: Credentials, count: number): Promise<void> {
  const { orgId } = credentials;
  const before = await chainOf(server, orgId);
  await submit(server, credentials, { count });
  await until("the entries", async () => (await chainOf(server, orgId)).head >= before.head + count);
}

/** An organization with entries, and credentials for it. */
export async function createFilled(server: Server, rows: number): Promise<Credentials> {
  const credentials = await prepare(server);
  await addEntries(server, credentials, rows);
  return credentials;
}
