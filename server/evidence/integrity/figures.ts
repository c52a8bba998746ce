import { sql } from "drizzle-orm";
import { layout } from "@/db/citus/layout";
import { asSystem, type Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";
import { backgroundLoop } from "@/server/ground/background/background-loop";
import { gauge } from "@/server/ground/background/metrics";
import { openAlarms } from "./alarm";
import type { ChainState } from "./schema";
import { readStates } from "./state";

/** Poll interval for every organization; a few index probes per chain. */
const POLL_MS = 5 * 60_000;
const ORGANIZATIONS_AT_A_TIME = 500;

type Status = ChainState["status"];
/** Figures over all organizations; ages in seconds, of the worst organization, 0 without any. */
export type Figures = {
  states: Record<Status, number>;
  verifiedAge: number;
  unsignedAge: number;
  prunedAge: number;
  unindexedRows: number;
};

const none = (): Figures => ({
  states: { intact: 0, broken: 0, unproven: 0, empty: 0 },
  verifiedAge: 0,
  unsignedAge: 0,
  prunedAge: 0,
  unindexedRows: 0,
});

/**
 * A chain never verified is as old as its organization.
 * @returns entries covered by the newest checkpoint of each, 0 without one
 */
async function addStates(tx: Tx, created: Map<string, number>, figures: Figures): Promise<Map<string, number>> {
  const alarms = await openAlarms({ kind: "system" });
  const signed = new Map<string, number>();
  for (const [orgId, { state, coverage, newest }] of await readStates(tx, [...created.keys()], alarms)) {
    signed.set(orgId, newest?.size ?? 0);
    figures.states[state.status]++;
    if (coverage.retained === 0) continue;
    const since = coverage.lastRanAt ? Date.parse(coverage.lastRanAt) : (created.get(orgId) ?? Date.now());
    figures.verifiedAge = Math.max(figures.verifiedAge, (Date.now() - since) / 1000);
  }
  return signed;
}

/** Age of the oldest entry without a checkpoint, since it was sealed. */
async function unsignedAge(tx: Tx, signed: ReadonlyMap<string, number>): Promise<number> {
  const [row] = await rowsOf<{ age: number | null }>(
    tx,
    sql`SELECT max(extract(epoch FROM now() - a.sealed_at))::float8 AS age
      -- LIMIT keeps the number a column: row level security lets no function into an index condition.
      FROM ${layout().eachWith(signed)} CROSS JOIN LATERAL (SELECT o.n AS size LIMIT 1) n
      CROSS JOIN LATERAL (SELECT l.sealed_at FROM audit_logs l
        WHERE l.org_id = o.id AND l.chain_seq > n.size ORDER BY l.chain_seq LIMIT 1) a`,
  );
  return row?.age ?? 0;
}

async function prunedAge(tx: Tx): Promise<number> {
  const [row] = await rowsOf<{ age: number | null }>(
    tx,
    sql`SELECT extract(epoch FROM now() - min(greatest(last_cleanup_at, created_at)))::float8 AS age
      FROM audit_retention_policies`,
  );
  return row?.age ?? 0;
}

/** Reads the figures of every organization in batches, each in its own transaction. */
export async function readFigures(): Promise<Figures> {
  const figures = none();
  const organizations = await asSystem((tx) =>
    rowsOf<{ id: string; ms: string }>(tx, sql`SELECT id, audit_ms(created_at) AS ms FROM organizations ORDER BY id`),
  );
  for (let at = 0; at < organizations.length; at += ORGANIZATIONS_AT_A_TIME) {
    const some = organizations.slice(at, at + ORGANIZATIONS_AT_A_TIME);
    await asSystem(async (tx) => {
      const signed = await addStates(tx, new Map(some.map(({ id, ms }) => [id, Number(ms)])), figures);
      figures.unsignedAge = Math.max(figures.unsignedAge, await unsignedAge(tx, signed));
    });
  }
  await asSystem(async (tx) => {
    figures.prunedAge = await prunedAge(tx);
    if (!layout().isIndexed) return;
    const [lag] = await rowsOf<{ rows: string | null }>(tx, sql`SELECT sum(rows) AS rows FROM audit_search_backlog()`);
    figures.unindexedRows = Number(lag?.rows ?? 0);
  });
  return figures;
}

let known = none();
let readAt = Date.now();

const EXPLAINED: [name: string, help: string, read: () => number][] = [
  ["trailmark_audit_chains_intact", "Organizations whose chain is intact", () => known.states.intact],
  ["trailmark_audit_chains_unproven", "Organizations whose chain is not proven", () => known.states.unproven],
  ["trailmark_audit_chains_empty", "Organizations whose chain is empty", () => known.states.empty],
  [
    "trailmark_audit_verified_age_seconds",
    "Seconds since the last verification of the organization where it is longest ago, or was not yet, since it was created",
    () => known.verifiedAge,
  ],
  [
    "trailmark_audit_unsigned_age_seconds",
    "Seconds since the oldest entry was sealed that no checkpoint covers",
    () => known.unsignedAge,
  ],
  [
    "trailmark_retention_age_seconds",
    "Seconds since the last retention run of the policy where it is longest ago",
    () => known.prunedAge,
  ],
  [
    "trailmark_search_backlog_rows",
    "Entries that the search index lacks, of the 100 organizations that lack most",
    () => known.unindexedRows,
  ],
];

/** Updates the metrics over all organizations from the database. */
export const figuresWatch = backgroundLoop("figures", POLL_MS, async () => {
  const age = () => (Date.now() - readAt) / 1000;
  gauge("trailmark_figures_age_seconds", "Seconds since the figures over all organizations were read last", age);
  known = await readFigures();
  readAt = Date.now();
  for (const [name, help, read] of EXPLAINED) gauge(name, help, read);
});
