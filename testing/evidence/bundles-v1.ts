import { createHash } from "node:crypto";
import type { BundleRow } from "@/server/evidence/chain/bundle";
import { signText, type TestKey } from "@/testing/notes";
import { chainRows, HOST, installationKey, vkeyOf } from "./bundles";

/** Bundles of version 1, as servers wrote them before there was a tree. */

type Made = {
  rows: readonly BundleRow[];
  /** Sequences that a checkpoint names. */
  checkpoints?: readonly number[];
  /** Whose checksums the checkpoints name; the bundle's own rows where left out. */
  genuine?: readonly BundleRow[];
  receipt?: { throughSeq: number; throughChecksum: string | null };
  start?: { seq: number; checksum: string | null };
  signer?: TestKey;
  organization?: string;
};

export const ROWS_V1 = chainRows(9);

/** A checkpoint of version 1: the checksum of the entry at a sequence. */
function checkpointV1(row: BundleRow, signer: TestKey): string {
  const root = Buffer.from(row.checksum, "hex").toString("base64");
  return signText(`${HOST}/audit/${row.orgId}\n${row.chainSeq}\n${root}\nsigned-at 2026-11-20T14:06:00.000Z\n`, signer);
}

export function createBundleV1({
  rows,
  checkpoints = [rows.at(-1)?.chainSeq ?? 0],
  signer = installationKey,
  ...more
}: Made): string {
  const orgId = ROWS_V1[0]?.orgId ?? "";
  const genuine = more.genuine ?? rows;
  const notes = genuine.filter((row) => checkpoints.includes(row.chainSeq)).map((row) => checkpointV1(row, signer));
  const body = [
    {
      type: "header",
      format: "trailmark-evidence",
      version: 1,
      orgId,
      organization: more.organization ?? "Contoso",
      from: null,
      to: null,
      createdAt: "2026-11-20T14:06:01.000Z",
      origin: `${HOST}/audit/${orgId}`,
      publicKeys: [vkeyOf(installationKey)],
      start: more.start ?? { seq: 0, checksum: null },
    },
    ...notes.map((note) => ({ type: "checkpoint", note })),
    ...(more.receipt ? [{ type: "receipt", ...more.receipt }] : []),
    ...rows,
  ]
    .map((line) => `${JSON.stringify(line)}\n`)
    .join("");
  return endedV1(body, rows.length);
}

/** Lines of version 1 with the end that fits them. */
export function endedV1(body: string, rows: number): string {
  const digest = createHash("sha256").update(body).digest("hex");
  return `${body}${JSON.stringify({ type: "end", rows, digest })}\n`;
}
