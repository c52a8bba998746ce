import { answerPublicLog } from "@/server/evidence/proofs/public-log";

/**
 * Signed checkpoint and tree hashes of an organization for monitors (c2sp.org/tlog-tiles), if the operator publishes
 * them.
 */
export const GET = async (_: Request, { params }: { params: Promise<{ orgId: string; path: string[] }> }) => {
  const { orgId, path } = await params;
  return answerPublicLog(orgId, path.join("/"));
};
