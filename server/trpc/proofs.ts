import { createEntryProof } from "@/server/audit/proofs/get";
import { listProofLinks } from "@/server/proof-links/list";
import { revokeProofLink } from "@/server/proof-links/revoke";
import { shareProof } from "@/server/proof-links/share";
import { mutation, query, router } from "./init";

/** Proofs of single entries and the short links to them. Making one is recorded, hence a mutation. */
export const proofsRouter = router({
  create: mutation(createEntryProof),
  links: query(listProofLinks),
  share: mutation(shareProof),
  revoke: mutation(revokeProofLink),
});
