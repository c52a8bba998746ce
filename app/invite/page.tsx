import type { Metadata } from "next";
import { AcceptForm } from "@/components/account/accept-form";
import { Entrance } from "@/components/account/entrance";

export const metadata: Metadata = { title: "Accept your invitation" };

export default function InvitePage() {
  return (
    <Entrance title="Accept your invitation" lead="Choose the password that you will sign in with.">
      <AcceptForm />
    </Entrance>
  );
}
