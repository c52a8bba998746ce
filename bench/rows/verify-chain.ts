import { interleave, rateOf } from "@/bench/harness";
import { readChain, THREADS } from "@/server/evidence/chain/chain-stream";
import { copyQuery } from "@/server/evidence/chain/copy-rows";
import { DIVISION, type Division } from "@/server/evidence/chain/runs/read-runs";
import { verifyChain } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import { narrow } from "@/server/ground/scope";

/** The rows of the chain through COPY, thrown away as they come. */
const drain = (orgId: string, query: string) =>
  readChain({ kind: "organization", orgIds: [orgId], partnerId: "" }, ({ copy }) => copy(query, () => {}));

/** No chain is so long that it would be divided. */
const UNDIVIDED = { fromRows: Number.POSITIVE_INFINITY, rangeRows: 1 };
/** Every chain is, so that the quick run measures it too. */
const DIVIDED = { ...DIVISION, fromRows: 1 };

/**
 * Row 7, in its own process: verified rows a second on one thread and one connection, on as many threads as the
 * machine has cores for, and the same rows through COPY, drained.
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
