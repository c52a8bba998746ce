import { interleave, rateOf } from "@/bench/harness";
import { readChain, THREADS } from "@/server/evidence/chain/chain-stream";
import { copyQuery } from "@/server/evidence/chain/copy-rows";
import { DIVISION, type Division } from "@/server/evidence/chain/runs/read-runs";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { narrow } from "@/server/ground/scope";

/** Reads the chain's rows through COPY and discards them. */
const drain = (orgId: string, query: string) =>
  readChain({ kind: "organization", orgIds: [orgId], partnerId: "" }, ({ copy }) => copy(query, () => {}));

/** Never divides a chain. */
const UNDIVIDED = { fromRows: Number.POSITIVE_INFINITY, rangeRows: 1 };
/** Always divides a chain, so that quick runs measure it too. */
const DIVIDED = { ...DIVISION, fromRows: 1 };

/**
 * Row 7, in its own process: verified rows per second on one thread and connection, on a thread per core, and the rows
 * through COPY, drained.
 */
export async function verifyOnServer(orgId: string, rounds: number) {
  const ctx = narrow(systemCtx(), orgId);
  const verify = (division: Division) => verifyChain(ctx, { orgId, division });
  const first = await verify(UNDIVIDED);
  if (first.status !== "intact") throw new Error(`the chain is ${first.status}`);
  const rows = first.rowsChecked;
  const plain = `COPY (SELECT * FROM audit_logs WHERE org_id = '${orgId}' ORDER BY chain_seq) TO STDOUT`;
  const rates = await interleave(rounds, {
    verify: () => rateOf(rows, () => verify(UNDIVIDED)),
    copy: () => rateOf(rows, () => drain(orgId, plain)),
    own: () => rateOf(rows, () => drain(orgId, copyQuery(orgId, { first: null, last: null }))),
    divided: () => rateOf(rows, () => verify(DIVIDED)),
  });
  return { rows, threads: THREADS.max, ...rates };
}
