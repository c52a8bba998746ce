import type postgres from "postgres";
import { eventMaker } from "@/bench/events";
import { type Bench, type Figure, figuresOf, interleave, rateWithin } from "@/bench/harness";
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
  const [ms, heldMs] = world.size.full ? [2_000, HELD_MS] : [600, QUICK_HELD_MS];
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
    value: () => autocommit("audit_logs"),
    reference: () => autocommit("audit_plain"),
  });
  const single = await interleave(rounds, {
    value: () => withWork("audit_logs"),
    reference: () => withWork("audit_plain"),
  });
  // A backup or long report: dead row versions cannot be removed while its snapshot is held.
  const holder = world.connect(1, world.embedded.ownerUrl);
  const held = await holder.reserve();
  await held.unsafe("BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT count(*) FROM audit_chain_heads");
  await rateWithin(heldMs, CONNECTIONS, () => insertOne(pool, "audit_logs", many()));
  const { value } = await interleave(rounds, { value: () => autocommit("audit_logs") });
  await held.unsafe("COMMIT");
  held.release();
  await world.owner`VACUUM ANALYZE audit_chain_heads`;
  const { reference } = await interleave(rounds, { reference: () => autocommit("audit_logs") });
  await Promise.all([pool.end(), holder.end()]);
  const detail = `held for ${heldMs / 1000} s of writing before it was measured`;
  const figure = figuresOf("3", "rows/s");
  const about = "direct INSERT, 8 connections";
  return [
    figure(`${about}, 100 organizations`, spread, { min: 0.5 }),
    figure(`${about}, 1 organization, 3 ms of other work`, single, { min: 0.8 }),
    figure(`${about}, 100 organizations, while a snapshot is held`, { value, reference, detail }, { min: 0.9 }),
  ];
}

export const directBench: Bench = { rows: ["3"], title: "direct inserts", run };
