import type { Metadata } from "next";
import { PublicFrame } from "@/components/frame/public-frame";
import { VerifyPage } from "@/components/verify/verify-page";

export const metadata: Metadata = {
  title: "Verify an evidence bundle",
  description: "Checks a Trailmark evidence bundle in your browser. Nothing is sent anywhere.",
};

export default function VerifyRoute() {
  return (
    <PublicFrame>
      <VerifyPage />
    </PublicFrame>
  );
}
