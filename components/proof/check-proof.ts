import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import { parseEntryProof } from "@/server/evidence/proofs/entry-proof";
import { judgeProof, type ProofVerdict, parseTrust, type Trust } from "@/server/evidence/proofs/judge-proof";
import { browserNoteTools } from "./note-tools";

const NO_TRUST: Trust = { logs: [], witnesses: [], quorum: null };

/** The keys a proof is checked against: pasted ones, otherwise those that the server of the page publishes. */
export type TrustSource = { trust: Trust; from: "you" | "server" | "nobody" };

/** Names the owner of the keys behind a verdict. */
export function trustOwner({ trust, from }: TrustSource): string {
  if (from === "nobody") return "no trusted key";
  const names = trust.logs.map(({ name }) => name).join(", ");
  return from === "you"
    ? `the key that you gave, of ${names}`
    : `the key of ${names}, the server that served this page`;
}

/**
 * @param serverPolicy the published policy of the page's server; null offline. Its quorum is ignored, because the user
 * did not ask for one.
 * @returns the keys to check the proof against, or what is wrong with the pasted text
 */
export function resolveTrust(pasted: string, serverPolicy: string | null): TrustSource | { reason: string } {
  if (pasted.trim()) {
    const trust = parseTrust(sha256, pasted);
    return "reason" in trust ? trust : { trust, from: "you" };
  }
  const trust = serverPolicy === null ? null : parseTrust(sha256, serverPolicy);
  if (!trust || "reason" in trust) return { trust: NO_TRUST, from: "nobody" };
  return { trust: { ...trust, quorum: null }, from: "server" };
}

/** The verdict on a proof, and the checksum computed from its entry. */
export type CheckedProof = { verdict: ProofVerdict; checksum: string | null };

/** Checks a proof in the browser; nothing is sent anywhere. */
export function checkProof(text: string, trust: Trust): CheckedProof {
  const payload = parseEntryProof(text)?.payload;
  return { verdict: judgeProof(browserNoteTools, text, trust), checksum: payload ? bytesToHex(sha256(payload)) : null };
}
