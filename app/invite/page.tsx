import type { Metadata } from "next";
import { AcceptForm } from "@/components/account/accept-form";
import { AuthLayout } from "@/components/account/auth-layout";

export const metadata: Metadata = { title: "Accept your invitation" };

export default function InvitePage() {
  return (
    <AuthLayout title="Accept your invitation" lead="Choose the password that you will sign in with.">
      <AcceptForm />
    </AuthLayout>
  );
}
