import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { isSetUp, signInOptions } from "@/app/trpc-server";
import { AuthLayout } from "@/components/account/auth-layout";
import { SignInForm } from "@/components/account/sign-in-form";

export const metadata: Metadata = { title: "Sign in" };

export default async function LoginPage() {
  if (!(await isSetUp())) redirect("/setup");
  return (
    <AuthLayout title="Sign in" lead="See who did what, and prove it.">
      <SignInForm options={signInOptions()} />
    </AuthLayout>
  );
}
