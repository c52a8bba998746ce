import type { BundleRow } from "@/server/evidence/chain/chain";
import { toBase64 } from "@/server/evidence/tree/signed-note";
import { sealText } from "@/server/evidence/tree/statement";
import { decompose, type NodeId, type NodeSource } from "@/server/evidence/tree/tree";
import { BUNDLE_FORMAT, type BundleHeader, type SinceLine } from "./format";

/** Writes the lines of a version 2 bundle; rows and hashes come from the caller. */

export type BundleHead = {
  header: Omit<BundleHeader, "type" | "format" | "version">;
  /** Signed note of the checkpoint for all proofs. */
  checkpoint: string;
  /** Time-stamp of the checkpoint's text, in base64. */
  token?: string | null;
  since?: SinceLine | null;
  /** Signed note of retention's newest receipt. */
  receipt?: string | null;
};

const line = (value: unknown): string => `${JSON.stringify(value)}\n`;

/** Lines before the entries. */
export function headLines({ header, checkpoint, token, since, receipt }: BundleHead): string {
  const { origin, orgId, organization, range, createdAt, publicKeys, alarm } = header;
  const shown = { origin, orgId, organization, range, createdAt, publicKeys, ...(alarm && { alarm }) };
  return [
    { type: "header", format: BUNDLE_FORMAT, version: 2, ...shown },
    { type: "checkpoint", note: checkpoint },
    token ? { type: "timestamp", token } : null,
    since ?? null,
    receipt ? { type: "receipt", note: receipt } : null,
  ]
    .filter((value) => value !== null)
    .map(line)
    .join("");
}

export const rowLine = (row: BundleRow): string => line(row);

/** Perfect subtrees that stand for a span of entries. */
export const skippedNodes = (from: number, through: number): NodeId[] => decompose(from - 1, through);

/** Line that stands for a span of entries; empty for an empty span. */
export function skipLine(node: NodeSource, from: number, through: number): string {
  if (through < from) return "";
  return line({ type: "skip", through, hashes: skippedNodes(from, through).map((id) => toBase64(node(id))) });
}

/** Text signed by the seal: the log, and the digest of every byte before the end line. */
export const sealOf = (origin: string, digest: Uint8Array): string => sealText({ origin, digest });

/** @param note the signed seal */
export const endLine = (note: string): string => line({ type: "end", note });
