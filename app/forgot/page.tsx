import type { Metadata } from "next";
import { signInOptions } from "@/app/trpc-server";
import { AuthLayout } from "@/components/account/auth-layout";
import { BackToSignIn, ForgotForm } from "@/components/account/password-forms";

export const metadata: Metadata = { title: "Forgot your password?" };

export default function ForgotPage() {
  const { mail } = signInOptions();
  return (
    <AuthLayout
      title="Forgot your password?"
      lead={
        mail
          ? "We mail you a link to choose a new one."
          : "This installation sends no mail. Ask your administrator for a link."
      }
    >
      {mail && <ForgotForm />}
      <BackToSignIn />
    </AuthLayout>
  );
}
