import type { Metadata } from "next";
import { AuthLayout } from "@/components/account/auth-layout";
import { AcceptForm } from "@/components/account/password-forms";

export const metadata: Metadata = { title: "Accept your invitation" };

export default function InvitePage() {
  return (
    <AuthLayout title="Accept your invitation" lead="Choose the password that you will sign in with.">
      <AcceptForm />
    </AuthLayout>
  );
}
