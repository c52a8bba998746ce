"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { LinkForm } from "./link-form";
import { signInBy } from "./sign-in";

/** Lets an invited user choose a password, then signs them in. */
export function AcceptForm() {
  const accept = useMutation(
    useTRPC().auth.acceptInvite.mutationOptions({
      onSuccess: async ({ email }, { password }) => {
        await signInBy("credentials", { email, password });
        window.location.assign("/");
      },
    }),
  );
  return <LinkForm action="Accept invitation" send={accept} />;
}
