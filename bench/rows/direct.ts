import type postgres from "postgres";
import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figure, interleave, rateWithin } from "@/bench/harness";
import { type AuditTable, createPlain, insertOne } from "@/bench/plain";
import type { World } from "@/bench/world";

const CONNECTIONS = 8;
const OTHER_WORK_SECONDS = 0.003;

/** Row 3: rows of a writer that knows nothing of the chain, sealed by the trigger at commit. */
async function run(world: World): Promise<Figure[]> {
  await createPlain(world);
  const pool = world.connect(CONNECTIONS);
  const ms = world.size.full ? 2_000 : 600;
  const many = eventMaker(world.random, world.orgIds);
  const one = eventMaker(world.random, world.orgIds.slice(0, 1));
  const autocommit = (table: AuditTable) => rateWithin(ms, CONNECTIONS, many, (event) => insertOne(pool, table, event));
  const withWork = (table: AuditTable) =>
    rateWithin(ms, CONNECTIONS, one, (event) =>
      pool.begin(async (tx: postgres.TransactionSql) => {
        await insertOne(tx, table, event);
        await tx`SELECT pg_sleep(${OTHER_WORK_SECONDS})`;
      }),
    );
  const rounds = world.size.full ? 9 : 7;
  const spread = await interleave(rounds, {
    sealed: () => autocommit("audit_logs"),
    plain: () => autocommit("audit_plain"),
  });
  const single = await interleave(rounds, {
    sealed: () => withWork("audit_logs"),
    plain: () => withWork("audit_plain"),
  });
  await pool.end();
  const shared = { row: "3", unit: "rows/s" };
  return [
    figure({
      ...shared,
      name: "direct INSERT, 8 connections, 100 organizations",
      value: spread.sealed,
      reference: spread.plain,
      target: { min: 0.5 },
    }),
    figure({
      ...shared,
      name: "direct INSERT, 8 connections, 1 organization, 3 ms of other work",
      value: single.sealed,
      reference: single.plain,
      target: { min: 0.8 },
    }),
  ];
}

export const directBench: Bench = { rows: ["3"], title: "direct inserts", run };
