import type { Metadata } from "next";
import { AuthLayout } from "@/components/account/auth-layout";
import { BackToSignIn } from "@/components/account/back-to-sign-in";
import { ResetForm } from "@/components/account/reset-form";

export const metadata: Metadata = { title: "Choose a new password" };

export default function ResetPage() {
  return (
    <AuthLayout title="Choose a new password" lead="Setting it ends all of your sessions.">
      <ResetForm />
      <BackToSignIn />
    </AuthLayout>
  );
}
