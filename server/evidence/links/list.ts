import { and, desc, eq } from "drizzle-orm";
import { tenant } from "@/db/client";
import { auditSharedProofs } from "@/db/schema";
import { operation } from "@/server/ground/operation";
import { inScope } from "@/server/ground/scope";
import { toProofLink } from "./proof-link";
import { listInput, MAX_LISTED_LINKS, proofLinkList } from "./schema";

/** The links to an entry's proof within the caller's reach, newest first; those that ended or were revoked too. */
export const listProofLinks = operation({
  permission: "audit:export",
  input: listInput,
  output: proofLinkList,
  async run({ scope }, { id }) {
    const t = auditSharedProofs;
    const rows = await tenant(scope, (tx) =>
      tx
        .select()
        .from(t)
        .where(and(inScope(t.orgId, scope), eq(t.entryId, id)))
        .orderBy(desc(t.createdAt), desc(t.id))
        .limit(MAX_LISTED_LINKS),
    );
    return { data: rows.map(toProofLink) };
  },
});
