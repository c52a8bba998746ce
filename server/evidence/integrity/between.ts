import type { ChainReader } from "@/server/evidence/chain/chain-stream";
import type { Judged } from "./judge";
import { type Subscriber, verifyWhole } from "./runs";

type Range = { from?: Date | undefined; to?: Date | undefined };

/** Narrows the verdict over the whole chain to the entries between two times, counted in its snapshot. */
async function between({ sql }: ChainReader, whole: Judged, { from, to }: Range): Promise<Judged> {
  const [row] = await sql<{ rows: string; first: string | null; last: string | null }[]>`
    SELECT count(*) AS rows, min(chain_seq) AS first, max(chain_seq) AS last FROM audit_logs
    WHERE org_id = ${whole.orgId}::uuid AND chain_seq IS NOT NULL
      ${from ? sql`AND "timestamp" >= ${from.toISOString()}::timestamptz` : sql``}
      ${to ? sql`AND "timestamp" <= ${to.toISOString()}::timestamptz` : sql``}`;
  const rows = Number(row?.rows ?? 0);
  const isEmpty = rows === 0 && (whole.status === "intact" || whole.status === "empty");
  return {
    ...whole,
    status: isEmpty ? "empty" : whole.status,
    rowsChecked: rows,
    firstSeq: rows > 0 ? Number(row?.first) : null,
    lastSeq: rows > 0 ? Number(row?.last) : null,
  };
}

/**
 * Verdict over the entries between two times. Reads the whole chain, because a missing or re-dated entry may have
 * belonged to the range. The range only chooses the entries counted, in the same snapshot, because later times may
 * differ.
 * @returns that verdict, and the one over the whole chain
 * @throws AppError rate_limited when too many chains wait to be read
 */
export async function verifyBetween(
  orgId: string,
  range: Range,
  subscriber: Subscriber = {},
): Promise<{ found: Judged; whole: Judged }> {
  let found: Judged | undefined;
  const whole = await verifyWhole(orgId, {
    ...subscriber,
    inSnapshot: async (judged, reader) => {
      found = await between(reader, judged, range);
    },
  });
  if (!found) throw new RangeError("the entries of a range were not counted");
  return { found, whole };
}
