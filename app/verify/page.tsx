import type { Metadata } from "next";
import { publishedPolicy } from "@/app/trpc-server";
import { PublicFrame } from "@/components/frame/public-frame";
import { VerifyHome } from "@/components/verify/verify-page";

export const metadata: Metadata = {
  title: "Verify an evidence bundle",
  description: "Checks a Trailmark evidence bundle in your browser. Nothing is sent anywhere.",
};

/** The page contains the server's public keys, which are not known at build time. */
export const dynamic = "force-dynamic";

export default function VerifyRoute() {
  return (
    <PublicFrame>
      <VerifyHome serverPolicy={publishedPolicy()} />
    </PublicFrame>
  );
}
