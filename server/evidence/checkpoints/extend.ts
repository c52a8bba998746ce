import { sql } from "drizzle-orm";
import { asSystem, type Tx } from "@/db/client";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { readChain } from "@/server/evidence/chain/chain-stream";
import { copyQuery, createLinkReader, readChainRows } from "@/server/evidence/chain/copy-rows";
import { type Anchor, type Break, breakOf, type Link, Verifier } from "@/server/evidence/chain/verifier";
import { equalBytes } from "@/server/evidence/tree/tree";
import { type Frontier, findFrontier, type Refused } from "./frontier";
import { leafOf } from "./hashing";
import { insertTiles, TreeDamage } from "./tiles";

/** Rows added to a tree per transaction; a longer backlog takes several. */
const CHUNK_ROWS = 250_000;
/** Backlogs up to this size use the current connection: a separate one would take longer. */
const FEW_ROWS = 1_000;

/** A tree that covers the head at the start of the reading. */
export type Extended = { kind: "extended"; frontier: Frontier; size: number; root: Uint8Array };

const lockTree = (tx: Tx, orgId: string) =>
  tx.execute(sql`SELECT pg_advisory_xact_lock(hashtextextended('trailmark tree ' || ${orgId}::text, 8))`);

/**
 * Expected predecessor of the next row: its checksum is known only through its leaf, so it comes from the row itself.
 */
function startOf(frontier: Frontier, first: Link): { seq: number; checksum: string | null } {
  const { size } = frontier.builder;
  if (!frontier.lastLeaf) return { seq: size, checksum: null };
  const names = first.prevChecksum;
  const links = names !== null && names.length === 64 && equalBytes(leafOf(names), frontier.lastLeaf);
  return { seq: size, checksum: links ? names : "the row whose leaf is in the tree" };
}

type Rows = { orgId: string; first: number; last: number };

/** Passes on rows with recomputed checksums, in order: few at once, many as a stream. */
async function readLinks(tx: Tx, { orgId, first, last }: Rows, onLink: (link: Link) => void): Promise<void> {
  if (last - first < FEW_ROWS) {
    for (const row of await readChainRows(tx, orgId, { first, last })) {
      const { id, checksum, prevChecksum } = row;
      onLink({ id, checksum, prevChecksum, seq: Number(row.chainSeq), recomputed: checksumOf(row) });
    }
    return;
  }
  const links = createLinkReader(onLink);
  await readChain({ kind: "organization", orgIds: [orgId], partnerId: "" }, ({ copy }) =>
    copy(copyQuery(orgId, { first, last }), (chunk) => links.push(chunk)),
  );
}

type Chunk = { frontier: Frontier; head: Anchor; last: number };

/** Reads the rows after the tree, judges contents, links and numbers, and adds their leaves to the builder. */
async function readChunk(tx: Tx, orgId: string, { frontier, head, last }: Chunk): Promise<Break[]> {
  const { builder } = frontier;
  const first = builder.size + 1;
  let verifier: Verifier | undefined;
  await readLinks(tx, { orgId, first, last }, (link) => {
    verifier ??= new Verifier({ start: startOf(frontier, link), end: last, pruned: null });
    verifier.add(link);
    builder.append(link.recomputed);
  });
  verifier ??= new Verifier({ start: { seq: first - 1, checksum: "unread" }, end: last, pruned: null });
  frontier.lastLeaf = builder.lastLeaf ?? frontier.lastLeaf;
  return verifier.finish(last === head.seq ? head : "unknown").breaks;
}

/** A head that has not moved must be the tree's last leaf. */
function judgeHead({ seq, checksum }: Anchor, lastLeaf: Uint8Array | null): Refused | null {
  if (!lastLeaf || equalBytes(leafOf(checksum), lastLeaf)) return null;
  const expected = `sequence ${seq} (${checksum}), which the chain's head names`;
  const actual = "another entry is the last one in the signed tree";
  return { kind: "refused", breaks: [breakOf({ seq, kind: "truncated", expected, actual })] };
}

/** One transaction under the tree's lock: adds the next rows, or none if the tree covers the head. */
async function extendOnce(tx: Tx, orgId: string, frontier: Frontier): Promise<Refused | null> {
  const { head, builder } = frontier;
  if (!head) return null;
  if (builder.size >= head.seq) return judgeHead(head, frontier.lastLeaf);
  const last = Math.min(head.seq, builder.size + CHUNK_ROWS);
  const breaks = await readChunk(tx, orgId, { frontier, head, last });
  if (breaks.length > 0) return { kind: "refused", breaks };
  try {
    await insertTiles(tx, orgId, builder.takeFull());
  } catch (error) {
    if (!(error instanceof TreeDamage)) throw error;
    const { seq, message: actual } = error;
    const expected = "tiles that fit the rows";
    return { kind: "refused", breaks: [breakOf({ seq, kind: "altered", expected, actual })] };
  }
  return null;
}

/**
 * Extends an organization's tree from our newest checkpoint to its head, over every row in between. Any mismatch is a
 * refusal, and nothing may be signed.
 */
export async function extendTree(orgId: string): Promise<Extended | Refused> {
  let frontier: Frontier | undefined;
  for (;;) {
    const done = await asSystem(async (tx): Promise<Extended | Refused | null> => {
      await lockTree(tx, orgId);
      if (!frontier) {
        const found = await findFrontier(tx, orgId);
        if ("kind" in found) return found;
        frontier = found;
      }
      const refusal = await extendOnce(tx, orgId, frontier);
      if (refusal) return refusal;
      const { size } = frontier.builder;
      if (size < (frontier.head?.seq ?? 0)) return null;
      return { kind: "extended", frontier, size, root: frontier.builder.root() };
    });
    if (done) return done;
  }
}
