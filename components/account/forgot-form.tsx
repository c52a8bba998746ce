"use client";

import { Button, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import { forgotInput } from "@/server/auth/schema";
import classes from "./entrance.module.css";

/** Asks for a link; what is said afterwards does not reveal whether the address is known. */
export function ForgotForm() {
  const form = useForm({ email: "" }, "uncontrolled");
  const forgot = useMutation(useTRPC().auth.forgotPassword.mutationOptions());
  if (forgot.isSuccess)
    return (
      <Text role="status">If an account with this address exists, a link is on its way. It is valid for one hour.</Text>
    );
  return (
    <form
      ref={form.element}
      onSubmit={form.onSubmit((values) => form.send(forgotInput, forgot, values))}
      className={classes.form}
      method="post"
      noValidate
    >
      {form.message && <Message tone="bad">{form.message}</Message>}
      <TextInput type="email" label="E-mail" autoComplete="username" required {...form.field("email")} />
      <Button type="submit" loading={form.isBusy} fullWidth>
        Send link
      </Button>
    </form>
  );
}
