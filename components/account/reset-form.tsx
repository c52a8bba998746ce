"use client";

import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { LinkForm } from "./link-form";

/** A new password by a mailed link; the person signs in with it next. */
export function ResetForm() {
  const reset = useMutation(
    useTRPC().auth.resetPassword.mutationOptions({ onSuccess: () => window.location.assign("/login") }),
  );
  return <LinkForm action="Set password" send={reset} />;
}
