import type { Metadata } from "next";
import { BackToSignIn } from "@/components/account/back-to-sign-in";
import { Entrance } from "@/components/account/entrance";
import { ResetForm } from "@/components/account/reset-form";

export const metadata: Metadata = { title: "Choose a new password" };

export default function ResetPage() {
  return (
    <Entrance title="Choose a new password" lead="Setting it ends all of your sessions.">
      <ResetForm />
      <BackToSignIn />
    </Entrance>
  );
}
