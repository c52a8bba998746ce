import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations } from "@/db/schema/index";
import { toError } from "@/db/thrown";
import { EXPORT_SLOTS } from "@/server/audit/entries/export-schema";
import { record } from "@/server/audit/record/record";
import type { BundleRange } from "@/server/evidence/bundle/format";
import { endLine, headLines, sealOf } from "@/server/evidence/bundle/write";
import { type ChainReader, readChain } from "@/server/evidence/chain/chain-stream";
import { ownKeysNamed, receiptIn } from "@/server/evidence/chain/note-signature";
import { receiptUnder } from "@/server/evidence/checkpoints/receipts";
import { signStatement } from "@/server/evidence/checkpoints/stored-note";
import { oneOrganization } from "@/server/evidence/integrity/integrity";
import { type InSnapshot, type Judged, judgeChain } from "@/server/evidence/integrity/judge";
import { formatVerifierKey } from "@/server/evidence/tree/signed-note";
import type { Ctx } from "@/server/ground/context";
import { savedAs, toBody } from "@/server/ground/download";
import { AppError, notFound } from "@/server/ground/errors";
import { inSlot } from "@/server/ground/limits/concurrency";
import { log } from "@/server/ground/log";
import { operation } from "@/server/ground/operation";
import { narrow } from "@/server/ground/scope";
import { toSlug } from "@/server/ground/text";
import { lastIn, writeEntries } from "./entries";
import { type Plan, planBundle } from "./plan";
import { type EvidenceInput, evidenceInput } from "./schema";
import { BundleStream } from "./stream";

const DAY_START = "T00:00:00.000Z";
const DAY_END = "T23:59:59.999Z";

/** End of a time range: a date if it is a day's boundary, else with hours and minutes. */
const momentOf = (at: string, whole: string): string =>
  at.endsWith(whole) ? at.slice(0, 10) : `${at.slice(0, 10)}T${at.slice(11, 16).replace(":", "")}Z`;

const lastDayOf = (month: string): string =>
  new Date(Date.UTC(Number(month.slice(0, 4)), Number(month.slice(5, 7)), 0)).toISOString().slice(0, 10);

function rangeOf(range: BundleRange): string {
  if (range.kind === "whole") return "whole-log";
  if (range.kind === "sequence") return `entries-${range.first}-to-${range.last}`;
  const { from, to } = range;
  const month = from?.slice(0, 7) ?? "";
  if (from === `${month}-01${DAY_START}` && to === `${lastDayOf(month)}${DAY_END}`) return month;
  const [first, last] = [from && momentOf(from, DAY_START), to && momentOf(to, DAY_END)];
  if (first && first === last) return first;
  if (!last) return `from-${first}`;
  return first ? `${first}-to-${last}` : `to-${last}`;
}

/** File name of a bundle: organization, range and, if the range is open, the day it was made. */
export function fileNameOf(organization: string, range: BundleRange, createdAt: string): string {
  const isOpen = range.kind === "whole" || (range.kind === "time" && range.to === null);
  return `evidence-${toSlug(organization)}-${rangeOf(range)}${isOpen ? `-${createdAt.slice(0, 10)}` : ""}.ndjson`;
}

async function organizationName(ctx: Ctx, orgId: string): Promise<string> {
  const [found] = await tenant(ctx.scope, (tx) =>
    tx.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, orgId)),
  );
  if (!found) throw notFound("organization");
  return found.name;
}

async function planOf(ctx: Ctx, orgId: string, input: EvidenceInput): Promise<{ organization: string; plan: Plan }> {
  const organization = await organizationName(ctx, orgId);
  return { organization, plan: await planBundle(ctx, orgId, input) };
}

/** Requires a chain that was just read: completeness of a time range is this installation's word. */
function attest({ status, breaks }: Judged): void {
  if (status !== "broken") return;
  const at = breaks[0]?.seq ?? 0;
  throw new AppError(
    "conflict",
    `The log is broken at sequence ${at}: that a range of time is complete cannot be attested. Download the whole log, or a range of sequences (fromSeq, toSeq).`,
  );
}

type Opening = { signal: AbortSignal; onBegin: () => void };

/**
 * Writes within one snapshot of the log, once a connection is free. For a time range the whole log is first read and
 * proven in that snapshot, so that re-dated entries are found.
 * @param onBegin called once nothing can refuse the download any more
 * @throws AppError conflict for a time range of a broken log
 */
async function inSnapshot(
  { orgId, range, checkpoint, signed }: Plan,
  { signal, onBegin }: Opening,
  write: (reader: ChainReader) => Promise<void>,
): Promise<void> {
  if (range.kind === "time") {
    const attested: InSnapshot = async (judged, reader) => {
      attest(judged);
      // The checkpoint was chosen before this snapshot.
      if ((await lastIn(reader, { orgId, size: signed, range })) > checkpoint.size)
        throw new AppError("conflict", "Entries of this range changed while it was looked at. Verify the whole log.");
      onBegin();
      await write(reader);
    };
    await judgeChain(orgId, { pool: "download", signal, inSnapshot: attested });
    return;
  }
  onBegin();
  const tenantOfOrg = { kind: "organization", orgIds: [orgId], partnerId: "" } as const;
  await readChain(tenantOfOrg, write, { pool: "download", signal });
}

type Writing = Opening & { organization: string; createdAt: string; out: BundleStream };

/** Writes the lines of a planned bundle; the last one is the signed end. */
export async function writeBundle(
  ctx: Ctx,
  plan: Plan,
  { organization, createdAt, out, ...opening }: Writing,
): Promise<void> {
  const { orgId, origin, range, checkpoint, token, since, alarm } = plan;
  const publicKeys = ownKeysNamed(origin).map(formatVerifierKey);
  const header = { origin, orgId, organization, range, createdAt, publicKeys, ...(alarm && { alarm }) };
  await inSnapshot(plan, opening, async (reader) => {
    // From the entries' own snapshot, because retention may have run since the plan.
    const permitted = await receiptIn(reader.sql, orgId);
    const receipt = permitted && receiptUnder(orgId, origin, permitted.note);
    out.write(headLines({ header, checkpoint: checkpoint.note, token, since, receipt }));
    const target = { scope: ctx.scope, out, signal: opening.signal };
    await writeEntries(reader, { orgId, size: checkpoint.size, range }, target);
  });
  out.end((digest) => endLine(signStatement(origin, sealOf(origin, digest))));
}

/**
 * Starts writing a bundle. A later failure ends the stream without its last line.
 * @returns once the download can no longer be refused
 * @throws the refusal, or the abort by the caller
 */
async function begin(
  { signal }: Ctx,
  { out }: BundleStream,
  write: (onBegin: () => void) => Promise<void>,
): Promise<void> {
  const leave = () => out.destroy();
  signal?.addEventListener("abort", leave, { once: true });
  let isBegun = false;
  await new Promise<void>((resolve, reject) => {
    const onBegin = () => {
      isBegun = true;
      resolve();
    };
    write(onBegin).catch((error: unknown) => {
      if (isBegun && !out.destroyed) log.error({ err: error }, "an evidence bundle was not finished");
      // Before the start nobody listens for errors.
      out.destroy(isBegun ? toError(error) : undefined);
      reject(toError(error));
    });
  }).finally(() => signal?.removeEventListener("abort", leave));
}

/** Details of a download's audit entry. */
function detailsOf({ from, to, since }: EvidenceInput, { range, checkpoint, alarm }: Plan, fileName: string) {
  return {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    ...(range.kind === "sequence" && { fromSeq: range.first, toSeq: range.last }),
    ...(since !== undefined && { since }),
    ...(alarm && { alarm }),
    checkpointSize: checkpoint.size,
    fileName,
  };
}

/**
 * Self-contained evidence bundle of one organization's log, whole, by sequence or between two times, as a streaming
 * download: the entries of the range, and only hashes of all others.
 * @throws AppError rate_limited when too many exports of the caller are running
 * @throws AppError conflict for a time range of a broken log, and the errors of planBundle
 */
async function streamEvidence(ctx: Ctx, input: EvidenceInput): Promise<Response> {
  const orgId = oneOrganization(ctx, input.orgId);
  const scoped = narrow(ctx, orgId);
  // Encloses all reading, signing and recording, so that a refused download is not recorded as done.
  return inSlot(scoped.actor, EXPORT_SLOTS, async (release) => {
    const { organization, plan } = await planOf(scoped, orgId, input);
    const createdAt = ctx.now().toISOString();
    const fileName = fileNameOf(organization, plan.range, createdAt);
    const out = new BundleStream();
    const gone = new AbortController();
    out.out.once("close", () => {
      gone.abort();
      release();
    });
    await begin(scoped, out, (onBegin) =>
      writeBundle(scoped, plan, { organization, createdAt, out, signal: gone.signal, onBegin }),
    );
    record(scoped, {
      action: "audit_logs.evidence",
      orgId,
      resourceType: "audit_log",
      resourceName: "Evidence bundle",
      details: detailsOf(input, plan, fileName),
    });
    return savedAs(fileName, "application/x-ndjson; charset=utf-8", toBody(out.out));
  });
}

export const exportEvidence = operation({
  permission: "audit:export",
  input: evidenceInput,
  output: "stream",
  waits: true,
  stepUp: () => true,
  run: streamEvidence,
});
