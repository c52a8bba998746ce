import type postgres from "postgres";
import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figure, interleave, rateWithin } from "@/bench/harness";
import { type AuditTable, createPlain, insertOne } from "@/bench/plain";
import type { World } from "@/bench/world";

const CONNECTIONS = 8;
const OTHER_WORK_SECONDS = 0.003;
/** Time of writing while the snapshot is held, before measuring; ten minutes of a normal day's writes. */
const HELD_MS = 30_000;
const QUICK_HELD_MS = 6_000;

/** Row 3: rows of a writer unaware of the chain, sealed by the trigger at commit. */
async function run(world: World): Promise<Figure[]> {
  await createPlain(world);
  const pool = world.connect(CONNECTIONS);
  const ms = world.size.full ? 2_000 : 600;
  const many = eventMaker(world.random, world.orgIds);
  const one = eventMaker(world.random, world.orgIds.slice(0, 1));
  const autocommit = (table: AuditTable) => rateWithin(ms, CONNECTIONS, () => insertOne(pool, table, many()));
  const withWork = (table: AuditTable) =>
    rateWithin(ms, CONNECTIONS, () =>
      pool.begin(async (tx: postgres.TransactionSql) => {
        await insertOne(tx, table, one());
        await tx`SELECT pg_sleep(${OTHER_WORK_SECONDS})`;
      }),
    );
  const rounds = world.size.full ? 5 : 7;
  const spread = await interleave(rounds, {
    sealed: () => autocommit("audit_logs"),
    plain: () => autocommit("audit_plain"),
  });
  const single = await interleave(rounds, {
    sealed: () => withWork("audit_logs"),
    plain: () => withWork("audit_plain"),
  });
  // A backup or long report: dead row versions cannot be removed while its snapshot is held.
  const holder = world.connect(1, world.embedded.ownerUrl);
  const held = await holder.reserve();
  await held.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM audit_chain_heads");
  await rateWithin(world.size.full ? HELD_MS : QUICK_HELD_MS, CONNECTIONS, () => insertOne(pool, "audit_logs", many()));
  const beside = await interleave(rounds, { held: () => autocommit("audit_logs") });
  await held.unsafe("COMMIT");
  held.release();
  await world.owner`VACUUM ANALYZE audit_chain_heads`;
  const free = await interleave(rounds, { free: () => autocommit("audit_logs") });
  await Promise.all([pool.end(), holder.end()]);
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
    figure({
      ...shared,
      name: "direct INSERT, 8 connections, 100 organizations, while a snapshot is held",
      value: beside.held,
      reference: free.free,
      target: { min: 0.9 },
      detail: `held for ${(world.size.full ? HELD_MS : QUICK_HELD_MS) / 1000} s of writing before it was measured`,
    }),
  ];
}

export const directBench: Bench = { rows: ["3"], title: "direct inserts", run };
