import { sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { TAIL_POLL_MS } from "./schema";

/** Maximum share of time spent polling when thousands of organizations are followed … */
const MAX_POLL_SHARE = 1 / 20;
/** … but rows must not come too late. */
const MAX_POLL_DELAY_MS = 1_500;

type Head = { orgId: string; seq: number; prunedThrough: number };
type Wake = () => void;

/** Newest sealed and last pruned sequence of each chain; organizations without rows are omitted. */
export const readHeads = (tx: Tx, orgIds: readonly string[]): Promise<Head[]> =>
  rowsOf(
    tx,
    sql`SELECT h.org_id AS "orgId", h.seq::float8 AS seq, h.pruned_through_seq::float8 AS "prunedThrough"
      FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
  );

const pollHeads = (orgIds: readonly string[]): Promise<Head[]> => asSystem((tx) => readHeads(tx, orgIds));

/**
 * Heads of the chains followed by this process: one poll for all, none without followers. A database notification would
 * queue every commit of an audit row for one lock.
 */
class HeadWatch {
  private readonly heads = new Map<string, number>();
  private readonly followers = new Map<string, Set<Wake>>();
  private delayMs = TAIL_POLL_MS;
  private readonly loop = backgroundLoop(
    "heads of followed chains",
    () => this.delayMs,
    () => this.poll(),
  );

  /**
   * Calls wake whenever one of these chains has grown. When it resolves, headOf() is current.
   * @returns ends the subscription.
   */
  async follow(orgIds: readonly string[], wake: Wake): Promise<() => void> {
    for (const orgId of orgIds) {
      const wakes = this.followers.get(orgId) ?? new Set();
      this.followers.set(orgId, wakes.add(wake));
    }
    const leave = () => this.leave(orgIds, wake);
    try {
      for (const touched of this.note(await pollHeads(orgIds))) touched();
    } catch (error) {
      leave();
      throw error;
    }
    if (this.followers.size > 0) this.loop.start();
    return leave;
  }

  headOf(orgId: string): number {
    return this.heads.get(orgId) ?? 0;
  }

  get organizations(): number {
    return this.followers.size;
  }

  private leave(orgIds: readonly string[], wake: Wake): void {
    for (const orgId of orgIds) {
      const wakes = this.followers.get(orgId);
      wakes?.delete(wake);
      if (wakes?.size !== 0) continue;
      this.followers.delete(orgId);
      this.heads.delete(orgId);
    }
    if (this.followers.size === 0) void this.loop.stop();
  }

  /** Records the grown chains. @returns the readers to wake */
  private note(heads: readonly Head[]): Set<Wake> {
    const touched = new Set<Wake>();
    for (const { orgId, seq } of heads) {
      const wakes = this.followers.get(orgId);
      if (!wakes || seq <= this.headOf(orgId)) continue;
      this.heads.set(orgId, seq);
      for (const wake of wakes) touched.add(wake);
    }
    return touched;
  }

  private async poll(): Promise<void> {
    const started = performance.now();
    for (const wake of this.note(await pollHeads([...this.followers.keys()]))) wake();
    const delay = Math.min((performance.now() - started) / MAX_POLL_SHARE, MAX_POLL_DELAY_MS);
    this.delayMs = Math.max(TAIL_POLL_MS, delay);
  }
}

export const headWatch = new HeadWatch();
