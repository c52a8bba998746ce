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

/** A chain that ends before what an earlier night had read lost its tail, regardless of its head. */
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

/** Breaks in order, each place once under each kind. */
const merged = (breaks: readonly Break[]): Break[] =>
  breaks
    .filter(({ seq, kind }, at) => breaks.findIndex((other) => other.seq === seq && other.kind === kind) === at)
    .sort((a, b) => a.seq - b.seq);

type Night = { verdict: Judged; progress: Progress };

/** Tonight's reading: what is new, and the slice of the rest that is next. */
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
  // A chain that was cut has no row where tonight's new ones begin: the cut says it.
  const seen = [...cut, ...(again?.breaks ?? []), ...(cut.length > 0 ? [] : fresh.breaks)];
  const unsigned = note.kind === "refused" ? note.breaks : [];
  // A row that is gone anywhere in the retained chain, is before it or has no seal, whether or not tonight reads that part.
  const gap = await findGap(orgId);
  const rows = merged([...seen.filter((one) => !unsigned.includes(one)), ...(gap ? [gap] : [])]);
  // A row that is gone takes its leaf along: where the rows name the place, it is the exact one.
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

/** A verification of the whole chain is running: that is more than tonight would read. */
async function readWhole(orgId: string, before: Progress): Promise<Night | null> {
  const verdict = await runningVerification(orgId);
  if (!verdict) return null;
  const cut = cutSince(verdict.head, before.verifiedThrough);
  const breaks = merged([...cut, ...verdict.breaks]);
  const progress = { verifiedThrough: verdict.lastSeq ?? before.verifiedThrough, slice: before.slice };
  return { verdict: breaks.length > 0 ? { ...verdict, status: "broken", reasons: [], breaks } : verdict, progress };
}

/** The search index of what was read tonight: it is made of the entries, so another one is damage, or somebody's doing. */
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
 * One organization's nightly verification: everything new since the last one, the next slice of the rest again, of the same
 * part the search index, each tile of the tree, and a count of all its sequences, so that a row that is gone is seen the
 * first night. The result is stored; a break raises the alarm, and the next night reads the same place again.
 * @param guards what of the database's guards was changed, which makes every log broken
 * @returns the verdict, or null for an organization that never had a row
 */
export async function verifyNightly(
  orgId: string,
  { signal, guards = null }: { signal?: AbortSignal | undefined; guards?: Break | null } = {},
): Promise<Judged | null> {
  // Tonight reads a part: it must not pass for the run that ends an alarm which was deleted.
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
 * The nightly verification of every organization, one after the other; one that cannot be read delays no other.
 * @throws Error when the signal ended it early, so that it is tried again
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

/** The nightly verification of every chain, an hour before pruning. */
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
