import { asc } from "drizzle-orm";
import { asSystem } from "@/db/client";
import { organizations } from "@/db/schema";
import { messageOf } from "@/db/thrown";
import { checkIndex } from "@/server/audit/search/search-worker";
import { type Anchor, type Break, breakOf } from "@/server/evidence/chain/verifier";
import { findGap } from "@/server/evidence/chain/verify";
import { systemCtx } from "@/server/ground/context";
import type { JobKind } from "@/server/ground/jobs";
import { log } from "@/server/ground/log";
import { raiseAlarm } from "./alarm";
import { raiseLostAlarms } from "./alarm-watch";
import { checkTiles } from "./check-tiles";
import { changedGuards, type Judged, judgeChain, ownNote } from "./judge";
import { nextSlice } from "./nightly-range";
import { runningVerification } from "./runs";
import { VERIFICATION_CRON } from "./schema";
import { keepVerification, type Progress, readProgress } from "./verifications";

const UNTIL_THE_END = Number.MAX_SAFE_INTEGER;

/** A chain that ends before the verified sequence lost its tail, whatever its head says. */
function cutSince(head: Anchor | null, verifiedThrough: number): Break[] {
  const last = head?.seq ?? 0;
  if (last >= verifiedThrough) return [];
  return [
    breakOf({
      seq: last + 1,
      kind: "truncated",
      expected: `rows up to sequence ${verifiedThrough}, which an earlier verification read`,
      actual: head ? `the last entry is sequence ${last}` : "the chain has no head",
    }),
  ];
}

/** Sorts breaks and removes duplicates. */
const merged = (breaks: readonly Break[]): Break[] =>
  breaks
    .filter(({ seq, kind }, at) => breaks.findIndex((other) => other.seq === seq && other.kind === kind) === at)
    .sort((a, b) => a.seq - b.seq);

type Night = { verdict: Judged; progress: Progress };

/** Reads tonight's new rows and the next slice of the others. */
async function readNight(orgId: string, before: Progress, signal: AbortSignal | undefined): Promise<Night> {
  const now = systemCtx().now();
  const note = await ownNote(orgId, now);
  const fromSeq = Math.max(1, before.verifiedThrough);
  const fresh = await judgeChain(orgId, { fromSeq, toSeq: UNTIL_THE_END, signal }, note);
  const pruned = fresh.prunedPrefix?.throughSeq ?? 0;
  const slice = nextSlice({ pruned, verified: before.verifiedThrough, before: before.slice }, now);
  const again = slice && (await judgeChain(orgId, { fromSeq: slice.first, toSeq: slice.last, signal }, note));
  const tiles = note.kind === "signed" ? await checkTiles(note.note, { slice }) : [];
  const cut = cutSince(fresh.head, before.verifiedThrough);
  // A cut chain has no row where tonight's start; the cut itself reports that.
  const seen = [...cut, ...(again?.breaks ?? []), ...(cut.length > 0 ? [] : fresh.breaks)];
  const unsigned = note.kind === "refused" ? note.breaks : [];
  // Finds gaps, rows before the start and rows without a seal anywhere in the chain, read tonight or not.
  const gap = await findGap(orgId);
  const rows = merged([...seen.filter((one) => !unsigned.includes(one)), ...(gap ? [gap] : [])]);
  // A missing row also loses its leaf; if the rows show the place, that one is exact.
  const breaks = rows.length > 0 ? rows : merged([...unsigned, ...tiles]);
  const reasons = [...new Set([...fresh.reasons, ...(again?.reasons ?? [])])];
  const verdict: Judged = {
    ...fresh,
    status: breaks.length > 0 ? "broken" : reasons.length > 0 ? "unproven" : fresh.status,
    reasons: breaks.length > 0 ? [] : reasons,
    rowsChecked: fresh.rowsChecked + (again?.rowsChecked ?? 0),
    breaks,
  };
  const progress = { verifiedThrough: fresh.lastSeq ?? before.verifiedThrough, slice: slice ?? before.slice };
  return { verdict, progress };
}

/** Uses a running verification of the whole chain, which reads more than tonight would. */
async function readWhole(orgId: string, before: Progress): Promise<Night | null> {
  const verdict = await runningVerification(orgId);
  if (!verdict) return null;
  const cut = cutSince(verdict.head, before.verifiedThrough);
  const breaks = merged([...cut, ...verdict.breaks]);
  const progress = { verifiedThrough: verdict.lastSeq ?? before.verifiedThrough, slice: before.slice };
  return { verdict: breaks.length > 0 ? { ...verdict, status: "broken", reasons: [], breaks } : verdict, progress };
}

/**
 * Checks the search index of the rows read tonight: it derives from the entries, so a difference is damage or
 * tampering.
 */
async function checkSearch(orgId: string, before: Progress, { verifiedThrough, slice }: Progress): Promise<void> {
  const spans = [{ first: before.verifiedThrough + 1, last: verifiedThrough }, ...(slice ? [slice] : [])];
  const found: number[] = [];
  for (const { first, last } of spans) found.push(...(await checkIndex(orgId, { first, last })));
  if (found.length === 0) return;
  const [expected, actual] = ["the words and counts of the entries from here on", "others; the index is built again"];
  const breaks = found.map((seq) => breakOf({ seq, kind: "index", expected, actual }));
  await raiseAlarm({ orgId, at: new Date().toISOString(), source: "nightly", breaks });
}

/**
 * Nightly verification of one organization: all new rows, the next slice of the others with its search index, each tile
 * of the tree, and a count of all sequences, so that a missing row is found the first night. The result is stored; a
 * break raises the alarm, and the next night reads the same part again.
 * @param guards changes to the database's guards, which make every log broken
 * @returns the verdict, or null for an organization that never had a row
 */
export async function verifyNightly(
  orgId: string,
  { signal, guards = null }: { signal?: AbortSignal | undefined; guards?: Break | null } = {},
): Promise<Judged | null> {
  // Tonight reads a part, which must not pass for the run that ended a deleted alarm.
  await raiseLostAlarms(orgId);
  const before = await readProgress(orgId);
  const whole = await readWhole(orgId, before).catch(() => null);
  const { verdict: found, progress } = whole ?? (await readNight(orgId, before, signal));
  const verdict: Judged = guards
    ? { ...found, status: "broken", reasons: [], breaks: [...found.breaks, guards] }
    : found;
  if (!verdict.head && before.verifiedThrough === 0 && verdict.breaks.length === 0) return null;
  const isBroken = verdict.status === "broken";
  await keepVerification(verdict, whole ? "whole" : "nightly", isBroken ? undefined : progress);
  if (isBroken) await raiseAlarm({ orgId, at: new Date().toISOString(), source: "nightly", breaks: verdict.breaks });
  else await checkSearch(orgId, before, progress);
  return verdict;
}

export type NightlyRun = {
  organizations: ({ orgId: string; error: string } | ({ orgId: string; error?: never } & Judged))[];
  verified: number;
  broken: number;
  unproven: number;
  failed: number;
};

/**
 * Verifies every organization, one after the other; a failure delays no other.
 * @throws Error when the signal ended it early, so that it is retried
 */
export async function runNightly({
  signal,
  orgIds,
}: {
  signal?: AbortSignal;
  orgIds?: readonly string[];
} = {}): Promise<NightlyRun> {
  const guards = await changedGuards();
  const run: NightlyRun = { organizations: [], verified: 0, broken: 0, unproven: 0, failed: 0 };
  for (const orgId of orgIds ?? (await listOrganizationIds())) {
    if (signal?.aborted) throw new Error("the nightly verification was stopped");
    try {
      const found = await verifyNightly(orgId, { signal, guards });
      if (!found) continue;
      run.organizations.push(found);
      run.verified++;
      if (found.status === "broken") run.broken++;
      if (found.status === "unproven") run.unproven++;
    } catch (error) {
      if (signal?.aborted) throw error;
      run.failed++;
      run.organizations.push({ orgId, error: messageOf(error) });
      log.error({ err: error, orgId }, "a chain could not be verified");
    }
  }
  const { organizations: _, ...counts } = run;
  log.info(counts, "nightly verification");
  return run;
}

async function listOrganizationIds(): Promise<string[]> {
  const rows = await asSystem((tx) =>
    tx.select({ id: organizations.id }).from(organizations).orderBy(asc(organizations.id)),
  );
  return rows.map((row) => row.id);
}

/** Job for the nightly verification of every chain, an hour before pruning. */
export const verificationJob: JobKind<object> = {
  name: "verification",
  cron: VERIFICATION_CRON,
  catchesUp: true,
  atOnce: 1,
  maxAttempts: 8,
  async run(_, { signal }) {
    await runNightly({ signal });
  },
};
