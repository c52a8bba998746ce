import type { ChainRow } from "@/server/audit/row";
import { canonicalPayload } from "@/server/evidence/chain/chain";
import { formatEntryProof } from "@/server/evidence/proofs/entry-proof";
import { concatBytes, cosignedMessage, ED25519, parseNote, secondsToBytes } from "@/server/evidence/tree/signed-note";
import type { Restoration } from "@/server/evidence/tree/statement";
import { checkpointText, originOf } from "@/server/evidence/tree/statement";
import { inclusionProof, leafHash, rootOf } from "@/server/evidence/tree/tree";
import { itemAt } from "@/server/ground/records";
import { noteTools, signText, type TestKey, testKey } from "@/testing/notes";
import { nodesOf } from "./witness";

/** Proofs of entries of a log in memory, for their readers' tests. */

const { sha256 } = noteTools;
export const PROOF_HOST = "trailmark.example";
export const ORG = "0b6f3a52-7c1e-4e0a-9d54-3f5a1c2b7e90";
const ORIGIN = originOf(PROOF_HOST, ORG);

export const rowOf = (seq: number, over: Partial<ChainRow> = {}): ChainRow => ({
  prevChecksum: seq === 1 ? null : "ab".repeat(32),
  chainSeq: String(seq),
  id: "5b3f0c3e-8c55-4b43-8d0f-6a0b8a1f2c77",
  orgId: ORG,
  timestampMs: "1795183560123",
  actorType: "user",
  actorId: "00000000-0000-4000-8000-000000000001",
  actorEmail: "jane@contoso.example",
  action: "device.create",
  resourceType: "device",
  resourceId: null,
  resourceName: "WS-042",
  details: '{"site": "Bonn"}',
  ipAddress: "192.0.2.7",
  userAgent: null,
  result: "success",
  errorMessage: null,
  ...over,
});

type Made = {
  seq?: number;
  size?: number;
  signer?: TestKey;
  witnesses?: TestKey[];
  seconds?: number;
  restored?: readonly Restoration[];
  /** Differences of the entry. */
  over?: Partial<ChainRow>;
};

/** Text of a proof, by default signed by the log of seed 1. */
export function proofText(created: Made = {}): string {
  const { seq = 5, size = 11, signer, witnesses = [], seconds = 1_795_183_562, restored = [] } = created;
  const payloads = Array.from({ length: size }, (_, i) =>
    canonicalPayload(rowOf(i + 1, i + 1 === seq ? created.over : {})),
  );
  const tree = { sha256, node: nodesOf(payloads.map((payload) => leafHash(sha256, sha256(payload)))) };
  const text = checkpointText({
    origin: ORIGIN,
    size,
    root: rootOf(tree, 0, size),
    signedAt: "2026-11-20T14:06:00.000Z",
    restored,
  });
  const note = parseNote(signText(text, signer ?? testKey(1, ORIGIN, ED25519)));
  if (!note) throw new Error("The checkpoint is no note.");
  const lines = witnesses.map(({ key, sign }) => ({
    name: key.name,
    id: key.id,
    bytes: concatBytes(secondsToBytes(seconds), sign(cosignedMessage(text, seconds))),
  }));
  return formatEntryProof({
    payload: itemAt(payloads, seq - 1),
    index: seq - 1,
    path: inclusionProof(tree, seq - 1, size),
    checkpoint: { text, signatures: [...note.signatures, ...lines] },
  });
}
