import { createHash } from "node:crypto";
import { PassThrough, Readable } from "node:stream";
import { eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { organizations } from "@/db/schema";
import { BUNDLE_FORMAT, BUNDLE_VERSION, type BundleHeader } from "@/server/audit/chain/bundle";
import { readChain } from "@/server/audit/chain/chain-stream";
import { readCheckpoints, type StoredCheckpoint } from "@/server/audit/chain/checkpoint-store";
import { copyQuery } from "@/server/audit/chain/copy-query";
import { createRowReader } from "@/server/audit/chain/copy-rows";
import { signerName, signingKeys, vkeyOf } from "@/server/audit/chain/signing-key";
import { anchorBefore, rangeOf, readHead } from "@/server/audit/chain/verify";
import { EXPORT_SLOTS } from "@/server/audit/entries/export-schema";
import { record } from "@/server/audit/record/record";
import type { Ctx } from "@/server/context";
import { notFound } from "@/server/errors";
import { operation } from "@/server/operation";
import { narrow } from "@/server/scope";
import { acquireSlot } from "@/server/slots";
import { oneOrganization } from "./integrity";
import { signOldCheckpoint } from "./old-checkpoints";
import { type IntegrityInput, integrityInput } from "./schema";

const FLUSH_BYTES = 64 * 1024;

/** Lines of a bundle on their way to the client, with the digest of all of them. */
class BundleWriter {
  readonly out = new PassThrough({ highWaterMark: 4 * FLUSH_BYTES });
  readonly #digest = createHash("sha256");
  #buffer = "";
  rows = 0;

  line(value: unknown): void {
    this.#buffer += `${JSON.stringify(value)}\n`;
    if (this.#buffer.length >= FLUSH_BYTES) this.#flush();
  }

  #flush(): void {
    const bytes = Buffer.from(this.#buffer);
    this.#buffer = "";
    this.#digest.update(bytes);
    this.out.write(bytes);
  }

  /** Null while the client takes what comes; else resolves when it does again. */
  ready(): Promise<void> | null {
    if (!this.out.writableNeedDrain) return null;
    return new Promise((resolve) => {
      const go = () => {
        this.out.off("drain", go).off("close", go);
        resolve();
      };
      this.out.on("drain", go).on("close", go);
    });
  }

  end(): void {
    this.#flush();
    this.out.end(`${JSON.stringify({ type: "end", rows: this.rows, digest: this.#digest.digest("hex") })}\n`);
  }
}

async function organizationName(ctx: Ctx, orgId: string): Promise<string> {
  const [found] = await tenant(ctx.scope, (tx) =>
    tx.select({ name: organizations.name }).from(organizations).where(eq(organizations.id, orgId)),
  );
  if (!found) throw notFound("organization");
  return found.name;
}

type Plan = {
  orgId: string;
  organization: string;
  input: IntegrityInput;
  kept: StoredCheckpoint[];
  signedThrough: number | null;
  now: Date;
};

/** Writes the whole bundle; the rows go on to the first checkpoint at or behind the end of the range. */
async function writeBundle(
  writer: BundleWriter,
  { orgId, organization, input, kept, signedThrough, now }: Plan,
  signal: AbortSignal,
): Promise<void> {
  await readChain(
    { kind: "organization", orgIds: [orgId], partnerId: "" },
    async (reader) => {
      const { head, pruned } = await readHead(reader, orgId);
      const range = await rangeOf(reader, { orgId, from: input.from, to: input.to });
      const earliest = (pruned?.throughSeq ?? 0) + 1;
      const first = typeof range === "object" ? Math.max(range.first, earliest) : earliest;
      const signed = signedThrough ?? head?.seq ?? 0;
      const wanted = range === "none" ? first - 1 : range === "whole" ? signed : Math.min(range.last, signed);
      const covering = kept.find((c) => c.seq >= wanted && c.seq <= (head?.seq ?? 0));
      const last = range === "none" ? wanted : (covering?.seq ?? wanted);
      const fromStart = first === earliest;
      const header: BundleHeader = {
        type: "header",
        format: BUNDLE_FORMAT,
        version: BUNDLE_VERSION,
        orgId,
        organization,
        from: input.from?.toISOString() ?? null,
        to: input.to?.toISOString() ?? null,
        createdAt: now.toISOString(),
        origin: `${signerName()}/audit/${orgId}`,
        publicKeys: signingKeys().map(vkeyOf),
        start: fromStart ? { seq: 0, checksum: null } : await anchorBefore(reader, orgId, first),
      };
      writer.line(header);
      for (const { seq, note } of kept) if (seq >= first && seq <= last) writer.line({ type: "checkpoint", note });
      if (fromStart && pruned) writer.line({ type: "receipt", ...pruned });
      if (range !== "none") {
        const rows = createRowReader((row) => {
          writer.rows++;
          writer.line(row);
        });
        await reader.copy(copyQuery(orgId, first, last, false), (chunk) => rows.push(chunk), {
          signal,
          ready: () => writer.ready(),
        });
      }
      writer.end();
    },
    { lane: "download", signal },
  );
}

/** Signs the head. Rows that come later, the record of this very download among them, are the next bundle's. */
async function anchorsNow(orgId: string, now: Date): Promise<Pick<Plan, "signedThrough" | "kept">> {
  const signedThrough = (await signOldCheckpoint(orgId, now))?.seq ?? null;
  return { signedThrough, kept: await readCheckpoints(orgId) };
}

/**
 * A self-contained evidence bundle of one organization's chain, whole or between two timestamps, as a download that
 * streams. The head is signed first, so that every row in it is covered by a checkpoint.
 * @throws AppError rate_limited when too many exports of the caller are running.
 */
async function streamEvidence(ctx: Ctx, input: IntegrityInput): Promise<Response> {
  const orgId = oneOrganization(ctx, input.orgId);
  const scoped = narrow(ctx, orgId);
  const now = ctx.now();
  const organization = await organizationName(scoped, orgId);
  // Before anything is signed or recorded: a download that is refused must not be told as done.
  const release = acquireSlot(scoped.actor, EXPORT_SLOTS);
  const { signedThrough, kept } = await anchorsNow(orgId, now).catch((error: unknown) => {
    release();
    throw error;
  });
  const details = { from: input.from?.toISOString() ?? null, to: input.to?.toISOString() ?? null };
  record(scoped, {
    action: "audit_logs.evidence",
    orgId,
    resourceType: "audit_log",
    resourceName: "Evidence bundle",
    details,
  });
  const writer = new BundleWriter();
  const gone = new AbortController();
  writer.out.once("close", () => {
    gone.abort();
    release();
  });
  writeBundle(writer, { orgId, organization, input, kept, signedThrough, now }, gone.signal).catch((error: unknown) =>
    writer.out.destroy(error as Error),
  );
  const slug =
    organization
      .toLowerCase()
      .replace(/[^a-z0-9]+/g, "-")
      .replace(/^-|-$/g, "") || "organization";
  return new Response(Readable.toWeb(writer.out) as ReadableStream, {
    headers: {
      "Content-Type": "application/x-ndjson; charset=utf-8",
      "Content-Disposition": `attachment; filename="evidence-${slug}-${now.toISOString().slice(0, 10)}.ndjson"`,
      "Cache-Control": "no-store",
    },
  });
}

/** GET /audit-logs/evidence. */
export const exportEvidence = operation({
  permission: "audit:export",
  input: integrityInput,
  output: "stream",
  run: streamEvidence,
});
