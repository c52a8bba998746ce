import type { Metadata } from "next";
import { publishedPolicy } from "@/app/trpc-server";
import { PublicFrame } from "@/components/frame/public-frame";
import { LinkedProof } from "@/components/proof/linked-proof";

export const metadata: Metadata = {
  title: "Proof of an audit log entry",
  robots: { index: false, follow: false },
};

/** The page contains the server's public keys, which are not known at build time. */
export const dynamic = "force-dynamic";

export default async function ProofRoute({ params }: { params: Promise<{ token: string }> }) {
  const { token } = await params;
  return (
    <PublicFrame>
      <LinkedProof token={token} serverPolicy={publishedPolicy()} />
    </PublicFrame>
  );
}
