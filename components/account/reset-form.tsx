"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { LinkForm } from "./link-form";

/** Sets a new password through a mailed link; the user then signs in with it. */
export function ResetForm() {
  const reset = useMutation(
    useTRPC().auth.resetPassword.mutationOptions({ onSuccess: () => window.location.assign("/login") }),
  );
  return <LinkForm action="Set password" send={reset} />;
}
