import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations } from "@/db/schema";
import { toError } from "@/db/thrown";
import { endLine, headLines, sealOf } from "@/server/audit/bundle/write";
import { readChain } from "@/server/audit/chain/chain-stream";
import { ownKeysNamed } from "@/server/audit/chain/own-note";
import { receiptIn } from "@/server/audit/chain/receipt";
import { receiptUnder } from "@/server/audit/checkpoints/receipts";
import { signStatement } from "@/server/audit/checkpoints/sign";
import { EXPORT_SLOTS } from "@/server/audit/entries/export-schema";
import { oneOrganization } from "@/server/audit/integrity/integrity";
import { record } from "@/server/audit/record/record";
import { formatVerifierKey } from "@/server/audit/tree/signed-note";
import type { Ctx } from "@/server/context";
import { savedAs, toBody } from "@/server/download";
import { notFound } from "@/server/errors";
import { delayFactorOf } from "@/server/limits/fair-share";
import { inSlot } from "@/server/limits/slots";
import { log } from "@/server/log/log";
import { operation } from "@/server/operation";
import { narrow } from "@/server/scope";
import { writeEntries } from "./entries";
import { fileNameOf } from "./file-name";
import { type Plan, planBundle } from "./plan";
import { type EvidenceInput, evidenceInput } from "./schema";
import { BundleStream } from "./stream";

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

type Writing = { organization: string; createdAt: string; out: BundleStream; signal: AbortSignal };

async function writeBundle(ctx: Ctx, plan: Plan, { organization, createdAt, out, signal }: Writing): Promise<void> {
  const { orgId, origin, range, checkpoint, token, since } = plan;
  const publicKeys = ownKeysNamed(origin).map(formatVerifierKey);
  const header = { origin, orgId, organization, range, createdAt, publicKeys };
  const tenantOfOrg = { kind: "organization", orgIds: [orgId], partnerId: "" } as const;
  await readChain(
    tenantOfOrg,
    async (reader) => {
      // Of the entries' own snapshot: retention may have removed some since the bundle was planned.
      const permitted = await receiptIn(reader.sql, orgId);
      const receipt = permitted && receiptUnder(orgId, origin, permitted.note);
      out.write(headLines({ header, checkpoint: checkpoint.note, token, since, receipt }));
      await writeEntries(reader, { orgId, size: checkpoint.size, range }, { scope: ctx.scope, out, signal });
    },
    { pool: "download", signal },
  );
  out.end((digest) => endLine(signStatement(origin, sealOf(origin, digest))));
}

/** What the audit row of a download says of it. */
function detailsOf({ from, to, since }: EvidenceInput, { range, checkpoint }: Plan, fileName: string) {
  return {
    from: from?.toISOString() ?? null,
    to: to?.toISOString() ?? null,
    ...(range.kind === "sequence" && { fromSeq: range.first, toSeq: range.last }),
    ...(since && { since: since.number }),
    checkpointSize: checkpoint.size,
    fileName,
  };
}

/**
 * A self-contained evidence bundle of one organization's log, whole, by sequence or between two times, as a download
 * that streams: the entries of the range, and of all others hashes alone.
 * @throws AppError rate_limited when too many exports of the caller are running, and what planBundle throws
 */
async function streamEvidence(ctx: Ctx, input: EvidenceInput): Promise<Response> {
  const orgId = oneOrganization(ctx, input.orgId);
  const scoped = narrow(ctx, orgId);
  // Around everything that is read, signed or recorded: a download that is refused must not be recorded as done.
  return inSlot(scoped.actor, EXPORT_SLOTS, async (release) => {
    const { organization, plan } = await planOf(scoped, orgId, input);
    const createdAt = ctx.now().toISOString();
    const fileName = fileNameOf(organization, plan.range, createdAt);
    record(scoped, {
      action: "audit_logs.evidence",
      orgId,
      resourceType: "audit_log",
      resourceName: "Evidence bundle",
      details: detailsOf(input, plan, fileName),
    });
    const out = new BundleStream(() => delayFactorOf(ctx.actor));
    const gone = new AbortController();
    out.out.once("close", () => {
      gone.abort();
      release();
    });
    writeBundle(scoped, plan, { organization, createdAt, out, signal: gone.signal }).catch((error: unknown) => {
      if (!gone.signal.aborted) log.error({ err: error, orgId }, "an evidence bundle was not finished");
      out.out.destroy(toError(error));
    });
    return savedAs(fileName, "application/x-ndjson; charset=utf-8", toBody(out.out));
  });
}

/** GET /audit-logs/evidence. */
export const exportEvidence = operation({
  permission: "audit:export",
  input: evidenceInput,
  output: "stream",
  waits: true,
  stepUp: () => true,
  run: streamEvidence,
});
