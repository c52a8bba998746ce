"use client";

import { Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { forgotInput } from "@/server/identity/auth/schema";
import { AuthForm } from "./auth-form";

/** Requests a reset link. The reply does not reveal whether the address has an account. */
export function ForgotForm() {
  const form = useForm({ email: "" }, "uncontrolled");
  const forgot = useMutation(useTRPC().auth.forgotPassword.mutationOptions());
  if (forgot.isSuccess)
    return (
      <Text role="status">If an account with this address exists, a link is on its way. It is valid for one hour.</Text>
    );
  return (
    <AuthForm form={form} action="Send link" onSubmit={(values) => form.send(forgotInput, forgot, values)}>
      <TextInput type="email" label="E-mail" autoComplete="username" required {...form.field("email")} />
    </AuthForm>
  );
}
