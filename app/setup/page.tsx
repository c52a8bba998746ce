import type { Metadata } from "next";
import { redirect } from "next/navigation";
import { isSetUp } from "@/app/trpc-server";
import { AuthLayout } from "@/components/account/auth-layout";
import { SetupForm } from "@/components/account/setup-form";

export const metadata: Metadata = { title: "First run" };

export default async function SetupPage() {
  if (await isSetUp()) redirect("/login");
  return (
    <AuthLayout title="First run" lead="Create the first administrator. This page is open until that is done.">
      <SetupForm />
    </AuthLayout>
  );
}
