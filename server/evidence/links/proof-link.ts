import type { auditSharedProofs } from "@/db/schema";
import type { ProofLink } from "./schema";

type ProofLinkRow = typeof auditSharedProofs.$inferSelect;

/** A link as its organization sees it; the secret in it is not stored. */
export const toProofLink = (row: ProofLinkRow): ProofLink => ({
  id: row.id,
  entryId: row.entryId,
  chainSeq: row.chainSeq,
  createdByName: row.createdByName,
  createdAt: row.createdAt.toISOString(),
  expiresAt: row.expiresAt.toISOString(),
  revokedAt: row.revokedAt?.toISOString() ?? null,
  openings: row.openings,
  lastOpenedAt: row.lastOpenedAt?.toISOString() ?? null,
});
