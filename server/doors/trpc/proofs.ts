import { listProofLinks, revokeProofLink, shareProof } from "@/server/evidence/links/links";
import { createEntryProof } from "@/server/evidence/proofs/prove";
import { mutation, query, router } from "./init";

/** Proofs of single entries and the short links to them. Making one is recorded, hence a mutation. */
export const proofsRouter = router({
  create: mutation(createEntryProof),
  links: query(listProofLinks),
  share: mutation(shareProof),
  revoke: mutation(revokeProofLink),
});
