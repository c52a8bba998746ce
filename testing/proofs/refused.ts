import type { ChainRow } from "@/server/audit/row";
import { COSIGNATURE, ED25519, formatVerifierKey } from "@/server/evidence/tree/signed-note";
import { testKey } from "@/testing/notes";
import { PROOF_HOST, proofText } from "./entry-proof";

export const PROOF_KEY = formatVerifierKey(testKey(1, PROOF_HOST, ED25519).key);
export const proofWitness = testKey(2, "w2.example", COSIGNATURE);
export const PROOF_POLICY = `log ${PROOF_KEY}\nwitness auditor ${formatVerifierKey(proofWitness.key)}\nquorum auditor\n`;

const ODD_ROWS: Partial<ChainRow>[] = [
  { id: "5" },
  { id: "5B3F0C3E-8C55-4B43-8D0F-6A0B8A1F2C77" },
  { timestampMs: "1e3" },
  { timestampMs: "-0" },
  { timestampMs: "9".repeat(40) },
  { prevChecksum: null },
  { prevChecksum: "AB".repeat(32) },
];

/** Correctly signed proofs that violate a form rule: broken for every verifier. */
export const REFUSED_PROOFS: readonly { text: string; keys: string[]; policy: string | null }[] = [
  ...[
    ...ODD_ROWS.map((over) => proofText({ over })),
    proofText({ seq: 1, over: { prevChecksum: "ab".repeat(32) } }),
  ].map((text) => ({ text, keys: [PROOF_KEY], policy: null })),
  ...[253_402_300_800, 2 ** 63].map((seconds) => ({
    text: proofText({ witnesses: [proofWitness], seconds }),
    keys: [],
    policy: PROOF_POLICY,
  })),
];
