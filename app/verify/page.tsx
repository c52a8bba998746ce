import type { Metadata } from "next";
import { publishedPolicy } from "@/app/trpc-server";
import { PublicFrame } from "@/components/frame/public-frame";
import { VerifyEntrance } from "@/components/verify/verify-entrance";

export const metadata: Metadata = {
  title: "Verify an evidence bundle",
  description: "Checks a Trailmark evidence bundle in your browser. Nothing is sent anywhere.",
};

/** The page names the keys of the server that serves it, which a build does not know. */
export const dynamic = "force-dynamic";

export default function VerifyRoute() {
  return (
    <PublicFrame>
      <VerifyEntrance served={publishedPolicy()} />
    </PublicFrame>
  );
}
