import { listProofLinks } from "@/server/evidence/links/list";
import { revokeProofLink } from "@/server/evidence/links/revoke";
import { shareProof } from "@/server/evidence/links/share";
import { createEntryProof } from "@/server/evidence/proofs/get";
import { mutation, query, router } from "./init";

/** Proofs of single entries and the short links to them. Making one is recorded, hence a mutation. */
export const proofsRouter = router({
  create: mutation(createEntryProof),
  links: query(listProofLinks),
  share: mutation(shareProof),
  revoke: mutation(revokeProofLink),
});
