import { interleave, rateOf } from "@/bench/harness";
import { readChain } from "@/server/audit/chain/chain-stream";
import { copyQuery } from "@/server/audit/chain/copy-query";
import { verifyChain } from "@/server/audit/chain/verify";
import { systemCtx } from "@/server/context";
import { narrow } from "@/server/scope";

/** The rows of the chain through COPY, thrown away as they come. */
const drain = (orgId: string, query: string) =>
  readChain({ kind: "organization", orgIds: [orgId], partnerId: "" }, ({ copy }) => copy(query, () => {}));

/** Row 7, in a process of its own: verified rows a second, and the same rows through COPY, drained. */
export async function verifyOnServer(orgId: string, rounds: number) {
  const ctx = narrow(systemCtx(), orgId);
  const first = await verifyChain(ctx, { orgId });
  if (first.status !== "intact") throw new Error(`the chain is ${first.status}`);
  const rows = first.rowsChecked;
  const plain = `COPY (SELECT * FROM audit_logs WHERE org_id = '${orgId}' ORDER BY chain_seq) TO STDOUT`;
  const rates = await interleave(rounds, {
    verify: () => rateOf(rows, () => verifyChain(ctx, { orgId })),
    copy: () => rateOf(rows, () => drain(orgId, plain)),
    own: () => rateOf(rows, () => drain(orgId, copyQuery(orgId, { first: null, last: null }))),
  });
  return { rows, ...rates };
}
