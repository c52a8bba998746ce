import { type SQL, sql } from "drizzle-orm";
import { uuids } from "@/db/arrays";
import { layout } from "@/db/citus/layout";
import type { Tx } from "@/db/client";
import { rowsOf } from "@/db/rows";

/** Facts of an organization's log from indexes; times in milliseconds since 1970. */
export type LogFacts = {
  orgId: string;
  name: string;
  isHome: boolean;
  createdAt: number;
  head: number;
  pruned: number;
  oldestAt: number | null;
  /** Start of the first retained row's age, by its timestamp or seal. */
  firstAgesFrom: number | null;
  unsignedSince: number | null;
  retentionDays: number | null;
  lastCleanupAt: number | null;
  failures: number;
  denied: number;
  weekSize: number | null;
  weekAt: number | null;
  monthSize: number | null;
  monthAt: number | null;
  firstSize: number | null;
  firstSignedAt: number | null;
};

const ms = (column: string): SQL => sql.raw(`(extract(epoch FROM ${column}) * 1000)::float8`);

/** Last checkpoint signed by a time. */
const signedBy = (at: Date): SQL => sql`LATERAL (
  SELECT n.size, n.size + 1 AS next FROM audit_notes n
  WHERE n.org_id = o.id AND n.kind = 'checkpoint' AND n.signed_at <= ${at.toISOString()}::timestamptz
  ORDER BY n.signed_at DESC, n.size DESC LIMIT 1)`;

/**
 * Recording time of the first entry after a checkpoint. Its number is a column instead of a sum in the comparison:
 * row-level security keeps functions that may fail out of index conditions, and the whole chain would be read.
 */
const recordedBehind = (checkpoint: string): SQL => sql`LATERAL (
  SELECT a.sealed_at AS at FROM audit_logs a WHERE a.org_id = o.id AND a.chain_seq = ${sql.raw(checkpoint)}.next LIMIT 1)`;

/** Each of the two results has its own partial index, so the statement contains the literal. */
const withResult = (result: "failure" | "denied", after: Date): SQL => sql`LATERAL (
  SELECT count(*)::float8 AS n FROM audit_logs a
  WHERE a.org_id = o.id AND a.result = ${sql.raw(`'${result}'`)} AND a."timestamp" > ${after.toISOString()}::timestamptz)`;

type Since = { day: Date; week: Date; month: Date };

type Named = Pick<LogFacts, "orgId" | "name" | "isHome" | "createdAt">;
type Head = Pick<LogFacts, "orgId" | "head" | "pruned">;
type Probed = Omit<LogFacts, "name" | "isHome" | "createdAt" | "head" | "pruned">;

const headsOf = (tx: Tx, orgIds: readonly string[]): Promise<Head[]> =>
  rowsOf<Head>(
    tx,
    sql`SELECT h.org_id AS "orgId", h.seq::float8 AS head, h.pruned_through_seq::float8 AS pruned
      FROM audit_chain_heads_of(${uuids(orgIds)}) h`,
  );

const namesOf = (tx: Tx, orgIds: readonly string[]): Promise<Named[]> =>
  rowsOf<Named>(
    tx,
    sql`SELECT o.id AS "orgId", o.name, o.is_home AS "isHome", ${ms("o.created_at")} AS "createdAt"
      FROM organizations o WHERE o.id = ANY (${uuids(orgIds)})`,
  );

/** Facts of an organization without any index data. */
const NOTHING: Omit<Probed, "orgId"> = {
  oldestAt: null,
  firstAgesFrom: null,
  unsignedSince: null,
  retentionDays: null,
  lastCleanupAt: null,
  failures: 0,
  denied: 0,
  weekSize: null,
  weekAt: null,
  monthSize: null,
  monthAt: null,
  firstSize: null,
  firstSignedAt: null,
};

/**
 * Facts of some organizations: a few index probes each, no scan of a log. Heads are read separately, because the
 * planner cannot estimate a function's rows and would compare all pairs; names too, because they may be on another
 * node.
 * @param signed entries covered by the newest checkpoint of each, 0 without one
 */
export async function logFactsOf(tx: Tx, signed: ReadonlyMap<string, number>, since: Since): Promise<LogFacts[]> {
  const orgIds = [...signed.keys()];
  const [names, heads, probed] = await Promise.all([
    namesOf(tx, orgIds),
    headsOf(tx, orgIds),
    probe(tx, signed, since),
  ]);
  const headBy = new Map(heads.map((head) => [head.orgId, head]));
  const probedBy = new Map(probed.map((facts) => [facts.orgId, facts]));
  return names.map((name) => ({
    head: 0,
    pruned: 0,
    ...NOTHING,
    ...probedBy.get(name.orgId),
    ...headBy.get(name.orgId),
    ...name,
  }));
}

const probe = (tx: Tx, signed: ReadonlyMap<string, number>, since: Since): Promise<Probed[]> =>
  rowsOf(
    tx,
    sql`SELECT o.id AS "orgId", ${ms("oldest.at")} AS "oldestAt", ${ms("f.ages_from")} AS "firstAgesFrom", ${ms("un.at")} AS "unsignedSince",
        p.retention_days AS "retentionDays", ${ms("p.last_cleanup_at")} AS "lastCleanupAt",
        failed.n AS failures, refused.n AS denied,
        w.size::float8 AS "weekSize", ${ms("wn.at")} AS "weekAt",
        m.size::float8 AS "monthSize", ${ms("mn.at")} AS "monthAt",
        e.size::float8 AS "firstSize", ${ms("e.signed_at")} AS "firstSignedAt"
      FROM ${layout().eachWith(new Map([...signed].map(([orgId, size]) => [orgId, size + 1])))}
      LEFT JOIN LATERAL (
        SELECT p.retention_days, p.last_cleanup_at FROM audit_retention_policies p WHERE p.org_id = o.id LIMIT 1) p ON true
      LEFT JOIN LATERAL (
        SELECT a."timestamp" AS at FROM audit_logs a WHERE a.org_id = o.id ORDER BY a."timestamp" LIMIT 1) oldest ON true
      LEFT JOIN LATERAL (
        SELECT least(a."timestamp", a.sealed_at) AS ages_from FROM audit_logs a
        WHERE a.org_id = o.id AND a.chain_seq IS NOT NULL ORDER BY a.chain_seq LIMIT 1) f ON true
      CROSS JOIN LATERAL (SELECT o.n AS next LIMIT 1) u
      LEFT JOIN ${recordedBehind("u")} un ON true
      CROSS JOIN ${withResult("failure", since.day)} failed
      CROSS JOIN ${withResult("denied", since.day)} refused
      LEFT JOIN ${signedBy(since.week)} w ON true
      LEFT JOIN ${recordedBehind("w")} wn ON true
      LEFT JOIN ${signedBy(since.month)} m ON true
      LEFT JOIN ${recordedBehind("m")} mn ON true
      LEFT JOIN LATERAL (
        SELECT n.size, n.signed_at FROM audit_notes n WHERE n.org_id = o.id AND n.kind = 'checkpoint'
        ORDER BY n.signed_at, n.size LIMIT 1) e ON true`,
  );
