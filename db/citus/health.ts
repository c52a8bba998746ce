import { appSql } from "@/db/client";
import { databaseSettings } from "@/db/settings";

/** What the chain's promises lack, over all nodes that answer, and the nodes that do not. */
export type ChainHealth = { faults: string[]; silent: string[] };

/** Looks at triggers, policies, rights and functions; where the tables are distributed, at every shard on every node. */
export async function chainHealth(): Promise<ChainHealth> {
  if (!databaseSettings().TRAILMARK_CITUS) {
    const [row] = await appSql()<{ faults: string[] }[]>`SELECT audit_chain_health() AS faults`;
    return { faults: row?.faults ?? [], silent: [] };
  }
  const nodes = await appSql()<{ node: string; answers: boolean; faults: string[] }[]>`
    SELECT node, answers, faults FROM audit_cluster_health()`;
  return {
    faults: nodes.flatMap(({ faults }) => faults),
    silent: nodes.filter(({ answers }) => !answers).map(({ node }) => node),
  };
}
