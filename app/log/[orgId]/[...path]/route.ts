import { answerPublicLog } from "@/server/evidence/proofs/public-log";

/** An organization's signed checkpoint and tree of hashes for monitors (c2sp.org/tlog-tiles), where the operator publishes them. */
export const GET = async (_: Request, { params }: { params: Promise<{ orgId: string; path: string[] }> }) => {
  const { orgId, path } = await params;
  return answerPublicLog(orgId, path.join("/"));
};
