import type { Metadata } from "next";
import { AuthLayout } from "@/components/account/auth-layout";
import { BackToSignIn, ResetForm } from "@/components/account/password-forms";

export const metadata: Metadata = { title: "Choose a new password" };

export default function ResetPage() {
  return (
    <AuthLayout title="Choose a new password" lead="Setting it ends all of your sessions.">
      <ResetForm />
      <BackToSignIn />
    </AuthLayout>
  );
}
