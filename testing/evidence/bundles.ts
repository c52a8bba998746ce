import { createHash } from "node:crypto";
import type { BundleAlarm, BundleRange, SinceLine } from "@/server/evidence/bundle/format";
import { NO_TRUST, readKeptNote, type Trust } from "@/server/evidence/bundle/trust";
import type { BundleVerdict } from "@/server/evidence/bundle/verdict";
import { verifyBundle } from "@/server/evidence/bundle/verify";
import { endLine, headLines, rowLine, sealOf, skipLine } from "@/server/evidence/bundle/write";
import type { BundleRow } from "@/server/evidence/chain/chain";
import { checksumOf } from "@/server/evidence/chain/chain-hash";
import { parseTrust } from "@/server/evidence/proofs/judge-proof";
import {
  COSIGNATURE,
  concatBytes,
  cosignedMessage,
  ED25519,
  formatNote,
  formatVerifierKey,
  secondsToBytes,
} from "@/server/evidence/tree/signed-note";
import type { Restoration, Window } from "@/server/evidence/tree/statement";
import { checkpointText, FIRST_WINDOW, originOf, receiptText } from "@/server/evidence/tree/statement";
import { leafHash, type NodeId, nodeHash, rootOf } from "@/server/evidence/tree/tree";
import { itemAt } from "@/server/ground/records";
import { noteTools, type TestKey, testKey } from "@/testing/notes";

/** Version 2 bundles over generated rows, signed by keys with known seeds: for tests and the example in docs/. */

const { sha256 } = noteTools;
export const HOST = "trailmark.contoso.example";
const ORG = "0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90";
export const ORIGIN = originOf(HOST, ORG);
const USER = "5d0c2a9e-1f34-4b6a-8c77-2e9b4a6d1f03";
const START_MS = Date.parse("2026-10-01T00:00:00.000Z");
const COSIGNED_SECONDS = 1_795_183_562;
export const HOUR_MS = 3_600_000;

export const installationKey = testKey(1, HOST, ED25519);
export const logKey = testKey(1, ORIGIN, ED25519);
export const witness = testKey(2, "witness.auditor.example", COSIGNATURE);
export const vkeyOf = ({ key }: TestKey): string => formatVerifierKey(key);

/** A chain of rows an hour apart, hashed and linked, after `change`. */
export function chainRows(count: number, change: (row: BundleRow) => void = () => {}): BundleRow[] {
  const rows: BundleRow[] = [];
  for (let seq = 1; seq <= count; seq++) {
    const row: BundleRow = {
      type: "row",
      prevChecksum: rows.at(-1)?.checksum ?? null,
      chainSeq: seq,
      id: `9a1d4c6e-0b2f-4a3c-8e5d-${String(seq).padStart(12, "0")}`,
      orgId: ORG,
      timestampMs: START_MS + seq * HOUR_MS,
      actorType: "user",
      actorId: USER,
      actorEmail: "jane@contoso.example",
      action: "device.update",
      resourceType: "device",
      resourceId: null,
      resourceName: 'Büro-PC "7" ✓ 😀',
      details: '{"after": {"site": "Köln\\n"}, "load": 1.0}',
      ipAddress: "203.0.113.7",
      userAgent: null,
      result: "success",
      errorMessage: null,
      checksum: "",
    };
    change(row);
    row.checksum = checksumOf(row);
    rows.push(row);
  }
  return rows;
}

/** Nodes of the tree over rows; those of a list may be rehashed. */
export function nodesOf(rows: readonly BundleRow[]): (id: NodeId) => Uint8Array {
  const levels = [rows.map(({ checksum }) => leafHash(sha256, Buffer.from(checksum, "hex")))];
  return ({ height, index }) => {
    for (let level = levels.length; level <= height; level++) {
      const below = itemAt(levels, level - 1);
      const pairs = Array.from({ length: below.length >> 1 }, (_, i) =>
        nodeHash(sha256, itemAt(below, 2 * i), itemAt(below, 2 * i + 1)),
      );
      levels.push(pairs);
    }
    return itemAt(itemAt(levels, height), index);
  };
}

/** A text signed like a log's, and cosigned by witnesses. */
export function signedBy(
  text: string,
  signers: readonly TestKey[],
  witnesses: readonly (TestKey & { seconds?: number })[] = [],
) {
  const own = signers.map(({ key, sign }) => ({ name: key.name, id: key.id, bytes: sign(text) }));
  const others = witnesses.map(({ key, sign, seconds = COSIGNED_SECONDS }) => ({
    name: key.name,
    id: key.id,
    bytes: concatBytes(secondsToBytes(seconds), sign(Buffer.from(cosignedMessage(text, seconds)))),
  }));
  return formatNote(text, [...own, ...others]);
}

const SIGNED_AT = "2026-11-20T14:06:00.000Z";

export function checkpointOf(
  rows: readonly BundleRow[],
  size = rows.length,
  { origin = ORIGIN, restored = [] }: Pick<Made, "origin" | "restored"> = {},
): string {
  return checkpointText({
    origin,
    size,
    root: rootOf({ sha256, node: nodesOf(rows) }, 0, size),
    signedAt: SIGNED_AT,
    restored,
  });
}

type Made = {
  rows: readonly BundleRow[];
  range?: BundleRange;
  /** Rows shown; by default the range. */
  shown?: (row: BundleRow) => boolean;
  signers?: readonly TestKey[];
  witnesses?: readonly TestKey[];
  receipt?: Partial<Window> & { through: number; before?: string; signers?: readonly TestKey[] };
  since?: SinceLine;
  restored?: readonly Restoration[];
  origin?: string;
  organization?: string;
  alarm?: BundleAlarm;
};

function isInRange(range: BundleRange, { chainSeq, timestampMs }: BundleRow): boolean {
  if (range.kind === "whole") return true;
  if (range.kind === "sequence") return chainSeq >= range.first && chainSeq <= range.last;
  return timestampMs >= Date.parse(range.from ?? "0000-01-01") && timestampMs <= Date.parse(range.to ?? "9999-01-01");
}

/** A bundle as written by the server. */
export function createBundle({
  rows,
  range = { kind: "whole" },
  signers = [logKey],
  witnesses = [],
  origin = ORIGIN,
  ...more
}: Made): string {
  const node = nodesOf(rows);
  const pruned = more.receipt?.through ?? 0;
  const receipt =
    more.receipt &&
    signedBy(
      receiptText({
        origin,
        through: pruned,
        before: more.receipt.before ?? "2025-11-20T14:06:00.000Z",
        days: more.receipt.days ?? FIRST_WINDOW.days,
        policySeq: more.receipt.policySeq ?? FIRST_WINDOW.policySeq,
        signedAt: SIGNED_AT,
      }),
      more.receipt.signers ?? signers,
    );
  const header = {
    origin,
    orgId: ORG,
    organization: more.organization ?? "Contoso",
    range,
    createdAt: SIGNED_AT,
    publicKeys: [vkeyOf(logKey)],
    ...(more.alarm && { alarm: more.alarm }),
  };
  let text = headLines({
    header,
    checkpoint: signedBy(
      checkpointOf(rows, rows.length, { origin, restored: more.restored ?? [] }),
      signers,
      witnesses,
    ),
    since: more.since ?? null,
    receipt: receipt ?? null,
  });
  let next = 1;
  for (const row of rows) {
    const isShown = more.shown ? more.shown(row) : row.chainSeq > pruned && isInRange(range, row);
    if (!isShown) continue;
    text += skipLine(node, next, row.chainSeq - 1) + rowLine(row);
    next = row.chainSeq + 1;
  }
  text += skipLine(node, next, rows.length);
  return sealed(text, { signers, origin });
}

/** Seals a bundle's lines without its end. */
export function sealed(
  text: string,
  { signers = [logKey], origin = ORIGIN }: { signers?: readonly TestKey[]; origin?: string } = {},
): string {
  return text + endLine(signedBy(sealOf(origin, createHash("sha256").update(text).digest()), signers));
}

/** Trust in keys or a policy. */
export function trustIn({ keys = [], policy }: { keys?: readonly string[]; policy?: string | undefined }): Trust {
  if (policy === undefined && keys.length === 0) return NO_TRUST;
  const trust = parseTrust(sha256, policy ?? keys.join("\n"));
  if ("reason" in trust) throw new Error(trust.reason);
  return trust;
}

/** Verdict on a bundle's text under keys or a policy. */
export function checkText(
  text: string,
  given: { keys?: readonly string[]; policy?: string; since?: string } = {},
): Promise<BundleVerdict> {
  const trust = trustIn(given);
  const since = given.since ? readKeptNote(noteTools, given.since, trust) : null;
  return verifyBundle([Buffer.from(text)], noteTools, { trust, since });
}
