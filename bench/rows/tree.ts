import * as crypto from "node:crypto";
import { fillAudit } from "@/bench/fill";
import { type Bench, type Figure, figuresOf, interleave, medianMsOf, msOf } from "@/bench/harness";
import { p99While } from "@/bench/plain";
import type { World } from "@/bench/world";
import { asSystem } from "@/db/client";
import { drain } from "@/db/copy/drain";
import { findGap } from "@/server/evidence/chain/verify";
import { EMPTY_ROOT } from "@/server/evidence/checkpoints/hashing";
import { fromTree } from "@/server/evidence/checkpoints/nodes";
import { insertNote, listCheckpoints } from "@/server/evidence/checkpoints/note-store";
import { signCheckpoint } from "@/server/evidence/checkpoints/sign";
import { originOfOrg, signStatement } from "@/server/evidence/checkpoints/stored-note";
import { TreeBuilder } from "@/server/evidence/checkpoints/tree-builder";
import { checkpointText } from "@/server/evidence/tree/statement";
import { inclusionProof } from "@/server/evidence/tree/tree";
import { itemAt } from "@/server/ground/records";

const ROUNDS = 5;
const NEW_ROWS = 500;
const MONTH_OF_NOTES = 43_200;
const WRITERS = 32;
const WRITING_MS = 4_000;

const inMs = figuresOf("24", "ms");

/** Hashing leaves into full tiles, against two one-shot hashes of the same sizes each. */
async function hashing(rows: number): Promise<Figure> {
  const checksums = Array.from({ length: rows }, (_, n) => crypto.createHash("sha256").update(String(n)).digest("hex"));
  const [leaf, node] = [Buffer.alloc(33), Buffer.alloc(65)];
  const seen = await interleave(ROUNDS, {
    tiles: () =>
      msOf(async () => {
        const builder = new TreeBuilder();
        for (const checksum of checksums) builder.append(checksum);
        builder.root();
      }),
    hashes: () =>
      msOf(async () => {
        for (let n = 0; n < rows; n++) {
          crypto.hash("sha256", leaf, "buffer");
          crypto.hash("sha256", node, "buffer");
        }
      }),
  });
  const perSecond = (ms: number) => (rows * 1000) / ms;
  const rates = { value: perSecond(seen.tiles), reference: perSecond(seen.hashes) };
  return figuresOf("24", "rows/s")(`tree of ${rows} rows into tiles`, rates, { min: 1 });
}

/** Signing after some new rows, against inserting them. */
async function checkpointing(world: World, orgId: string, rows: number): Promise<Figure> {
  let start = rows + 1;
  const insert = () => {
    const more = fillAudit(world.app, { orgId, rows: NEW_ROWS, start });
    start += NEW_ROWS;
    return more;
  };
  const seen = await interleave(ROUNDS, {
    reference: () => msOf(insert),
    value: () => msOf(() => signCheckpoint(orgId)),
  });
  return inMs(`checkpoint of ${NEW_ROWS} new rows at ${rows}`, seen, { max: 0.5 });
}

/** Inclusion proof of one row, against reading it by id. */
async function proving(world: World, orgId: string, size: number): Promise<Figure> {
  const rows = await world.app<{ id: string; seq: string }[]>`
    SELECT id, chain_seq AS seq FROM audit_logs WHERE org_id = ${orgId} AND chain_seq % ${Math.ceil(size / 50)} = 1`;
  const next = (() => {
    let at = 0;
    return () => itemAt(rows, at++);
  })();
  const seen = await interleave(ROUNDS, {
    value: () =>
      medianMsOf(20, () => {
        const index = Number(next().seq) - 1;
        return asSystem((tx) => fromTree(tx, { orgId, size }, (tree) => inclusionProof(tree, index, size)));
      }),
    reference: () =>
      medianMsOf(20, () => asSystem((tx) => tx.execute(`SELECT * FROM audit_logs WHERE id = '${next().id}'`))),
  });
  return inMs(`proof of one entry of ${size}`, seen, { max: 5 });
}

async function notesOf(count: number): Promise<string> {
  const orgId = crypto.randomUUID();
  const start = Date.now() - count * 60_000;
  const origin = originOfOrg(orgId);
  await asSystem(async (tx) => {
    for (let size = 0; size < count; size++) {
      const signedAt = new Date(start + size * 60_000).toISOString();
      const note = signStatement(origin, checkpointText({ origin, size, root: EMPTY_ROOT, signedAt }));
      await insertNote(tx, { orgId, kind: "checkpoint", size, signedAt, note });
    }
  });
  return orgId;
}

/** Newest 100 checkpoints of a month, against those of 100; signatures are checked as displayed. */
async function listing(world: World): Promise<Figure> {
  const [many, few] = [await notesOf(world.size.full ? MONTH_OF_NOTES : MONTH_OF_NOTES / 4), await notesOf(100)];
  await world.owner`ANALYZE audit_notes`;
  const list = (orgId: string) => medianMsOf(20, () => asSystem((tx) => listCheckpoints(tx, orgId, 100)));
  const first = await msOf(() => asSystem((tx) => listCheckpoints(tx, many, 100)));
  const seen = await interleave(ROUNDS, { value: () => list(many), reference: () => list(few) });
  const detail = `the first look ${first.toFixed(1)} ms`;
  return inMs("newest 100 checkpoints of a month of them", { ...seen, detail }, { max: 1.5 });
}

/** Disk space of the tree per row. */
async function storing(world: World, orgId: string, rows: number): Promise<Figure> {
  const [found] = await world.owner<{ tiles: string; logs: string; all: string }[]>`
    SELECT (SELECT sum(24 + 8 + 16 + 2 + octet_length(hash) + coalesce(octet_length(leaves), 0))
        FROM audit_tree_tiles WHERE org_id = ${orgId}) AS tiles,
      pg_total_relation_size('audit_logs') AS logs, (SELECT count(*) FROM audit_logs) AS all`;
  const sizes = { value: Number(found?.tiles) / rows, reference: Number(found?.logs) / Number(found?.all) };
  return figuresOf("24", "bytes")("tiles, per row", sizes, { max: 0.04 });
}

/** Counting gaps in a whole chain, against its COPY. */
async function counting(world: World, orgId: string): Promise<Figure> {
  const copy = async () => {
    const stream = await world.owner
      .unsafe(`COPY (SELECT * FROM audit_logs WHERE org_id = '${orgId}' ORDER BY chain_seq) TO STDOUT`)
      .readable();
    await drain(stream, () => {});
  };
  const seen = await interleave(3, { value: () => msOf(() => findGap(orgId)), reference: () => msOf(copy) });
  return inMs("gap count", seen, { max: 0.2 });
}

/** Writers' p99 during the build of a long chain's tree, compared with an idle machine. */
async function building(world: World, orgId: string): Promise<Figure> {
  const writing = { world, orgIds: world.orgIds.slice(1), writers: WRITERS };
  const pause = () => new Promise((resolve) => setTimeout(resolve, WRITING_MS));
  const quiet = await p99While(writing, pause);
  let took = 0;
  const busy = await p99While(writing, async () => {
    took = await msOf(() => signCheckpoint(orgId));
  });
  const p99 = { value: busy.p99, reference: quiet.p99, holds: quiet.refused + busy.refused === 0 };
  const detail = `built in ${took.toFixed(0)} ms`;
  return inMs("p99 of 32 writers while a tree is built", { ...p99, detail }, { max: 1.2 });
}

/** Row 24: the Merkle tree of a chain, its checkpoints and proofs. */
async function run(world: World): Promise<Figure[]> {
  const rows = world.size.full ? 1_000_000 : 100_000;
  const id = await world.filled(rows);
  await world.owner`VACUUM ANALYZE audit_logs`;
  const built = await building(world, id);
  await world.owner`VACUUM ANALYZE audit_tree_tiles`;
  return [
    await hashing(rows),
    built,
    await storing(world, id, rows),
    await proving(world, id, rows),
    await counting(world, id),
    await checkpointing(world, id, rows),
    await listing(world),
  ];
}

export const treeBench: Bench = { rows: ["24"], title: "tree, checkpoints and proofs", run };
