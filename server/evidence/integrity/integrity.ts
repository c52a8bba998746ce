import { tenant } from "@/db/client";
import type { ChainReader } from "@/server/evidence/chain/chain-stream";
import { listCheckpoints as readNewest } from "@/server/evidence/checkpoints/note-store";
import { checkpointOf, originOfOrg, ownKeys } from "@/server/evidence/checkpoints/stored-note";
import { cosignersOf } from "@/server/evidence/checkpoints/witnessed";
import { formatVerifierKey, toBase64 } from "@/server/evidence/tree/signed-note";
import { witnessPolicy } from "@/server/evidence/witnesses/policy-file";
import type { Ctx } from "@/server/ground/context";
import { invalid } from "@/server/ground/errors";
import { acquireSlot } from "@/server/ground/limits/concurrency";
import { operation } from "@/server/ground/operation";
import { narrow, reaches } from "@/server/ground/scope";
import { clearAlarm, raiseAlarm } from "./alarm";
import { signCheckpoint } from "./checkpoints";
import { endsAlarm, type Judged } from "./judge";
import { type Subscriber, VERIFY_SLOTS, verifyPart, verifyWhole } from "./runs";
import { checkpointsInput, checkpointsOutput, integrityOutput, type VerifyInput, verifyInput } from "./schema";
import { keepVerification } from "./verifications";
import { watched } from "./verify-progress";

/**
 * The organization to use: the given one, the caller's only one, or a partner's home if in reach.
 * @throws AppError validation_failed if there is none
 */
export function oneOrganization(ctx: Ctx, orgId: string | undefined): string {
  const { scope, homeOrgId } = ctx;
  const home = homeOrgId && reaches(scope, homeOrgId) ? homeOrgId : undefined;
  const found = orgId ?? (scope.kind !== "system" && scope.orgIds.length === 1 ? scope.orgIds[0] : home);
  if (!found) throw invalid("orgId", "is needed: a chain belongs to one organization");
  return found;
}

/** Follow-up already done for a shared verdict. */
const kept = new WeakMap<Judged, Promise<void>>();

/** Stores the verdict over a whole chain, and raises or clears the alarm. */
async function keepWhole(found: Judged): Promise<void> {
  const isKept = await keepVerification(found, "whole");
  if (isKept && endsAlarm(found)) await clearAlarm(found.orgId, found.began);
}

async function raise(
  { orgId, status, breaks }: Judged,
  { now, isWhole }: { now: Date; isWhole: boolean },
): Promise<void> {
  if (status === "broken") await raiseAlarm({ orgId, at: now.toISOString(), source: "on demand", breaks }, { isWhole });
}

const once = (found: Judged, act: () => Promise<void>): Promise<void> => {
  const done = kept.get(found) ?? act();
  kept.set(found, done);
  return done;
};

type Watch = { signal: AbortSignal | undefined; onProgress?: ((rows: number) => void) | undefined };
/** A verdict, the rows read for it, and the kind to store it as. */
type Reading = { found: Judged; rowsRead: number; kind: "whole" | "range" };

/** Reads only the entries of some sequences. */
async function readPart(orgId: string, { fromSeq, toSeq }: VerifyInput, watch: Watch): Promise<Reading> {
  const found = await verifyPart(orgId, { fromSeq, toSeq }, watch);
  const newest = found.head?.seq ?? 0;
  const beyond = (field: string) => invalid(field, `lies beyond the newest entry, sequence ${newest}`);
  // Not for a broken chain, where a lost end is the answer.
  if (found.status !== "broken" && (fromSeq ?? 1) > newest) throw beyond("fromSeq");
  if (found.status !== "broken" && (toSeq ?? newest) > newest) throw beyond("toSeq");
  return { found, rowsRead: found.rowsChecked, kind: "range" };
}

/** Reads the whole chain, once for all concurrent callers; a time range only counts its entries. */
async function readWhole(orgId: string, { from, to }: VerifyInput, watch: Watch): Promise<Reading> {
  if (!from && !to) {
    const found = await verifyWhole(orgId, watch);
    return { found, rowsRead: found.rowsChecked, kind: "whole" };
  }
  const { found, whole } = await verifyBetween(orgId, { from, to }, watch);
  return { found, rowsRead: whole.rowsChecked, kind: "range" };
}

/**
 * Verifies one organization's chain: whole, between two timestamps (also reads the whole chain), or by sequence (reads
 * only those entries). A break raises the alarm; a clean whole chain clears it.
 * @throws AppError rate_limited when the caller, or this process, has too many waiting
 * @throws AppError validation_failed for a sequence that the chain does not have
 */
export const verifyIntegrity = operation({
  permission: "audit:read",
  input: verifyInput,
  output: integrityOutput,
  waits: true,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    narrow(ctx, orgId);
    const release = acquireSlot(ctx.actor, VERIFY_SLOTS);
    try {
      const bySequence = (input.fromSeq ?? input.toSeq) !== undefined;
      const { found, rowsRead, kind } = await watched(ctx, input.runId, (onProgress) => {
        const watch = { signal: ctx.signal, onProgress };
        return bySequence ? readPart(orgId, input, watch) : readWhole(orgId, input, watch);
      });
      if (kind === "range") await keepVerification(found, "range");
      else await once(found, () => keepWhole(found));
      await raise(found, { now: ctx.now(), isWhole: kind === "whole" });
      const { status, reasons, covered, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks } = found;
      return { orgId, status, reasons, covered, rowsRead, rowsChecked, firstSeq, lastSeq, prunedPrefix, head, breaks };
    } finally {
      release();
    }
  },
});

const DEFAULT_CHECKPOINTS = 100;

/** Newest checkpoints of one organization, newest first, with the keys to check them. */
export const listCheckpoints = operation({
  permission: "audit:read",
  input: checkpointsInput,
  output: checkpointsOutput,
  waits: true,
  async run(ctx, input) {
    const orgId = oneOrganization(ctx, input.orgId);
    const { scope } = narrow(ctx, orgId);
    if (input.sign) await signCheckpoint(orgId, ctx.now());
    const notes = await tenant(scope, (tx) => readNewest(tx, orgId, input.limit ?? DEFAULT_CHECKPOINTS));
    return {
      orgId,
      origin: originOfOrg(orgId),
      publicKeys: ownKeys(orgId).map(formatVerifierKey),
      witnesses: (witnessPolicy()?.witnesses ?? []).map(({ name }) => name),
      data: notes.map(({ size, signedAt, note }) => ({
        size,
        root: toBase64(checkpointOf({ note }).root),
        signedAt,
        note,
        witnesses: cosignersOf(note),
      })),
    };
  },
});

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
