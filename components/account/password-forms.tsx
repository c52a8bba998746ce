"use client";

import { Button, PasswordInput, type PasswordInputProps, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import Link from "next/link";
import { type ReactNode, useEffect, useState } from "react";
import { useTRPC } from "@/components/trpc";
import { type Form, useForm, type Values } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/notice";
import { forgotInput, MIN_PASSWORD_LENGTH, resetInput } from "@/server/identity/auth/schema";
import classes from "./auth.module.css";
import { signInBy } from "./sign-in";

type FormProps<V extends Values> = {
  form: Form<V>;
  action: string;
  onSubmit: (values: V) => Promise<unknown>;
  /** Keeps the button busy after success while the next page loads. */
  isLeaving?: boolean;
  children: ReactNode;
};

/** A form outside the dashboard; it submits even before the page is hydrated. */
export function AuthForm<V extends Values>({ form, action, onSubmit, isLeaving = false, children }: FormProps<V>) {
  return (
    <form ref={form.element} onSubmit={form.onSubmit(onSubmit)} className={classes.form} method="post" noValidate>
      {form.message && <Message tone="bad">{form.message}</Message>}
      {children}
      <Button type="submit" loading={form.isBusy || isLeaving} fullWidth>
        {action}
      </Button>
    </form>
  );
}

/** The token in the URL fragment, which no server or log ever sees; undefined until it has been read. */
function useLinkToken(): string | undefined {
  const [token, setToken] = useState<string>();
  useEffect(() => {
    setToken(window.location.hash.slice(1));
  }, []);
  return token;
}

export const NewPassword = (field: PasswordInputProps) => (
  <PasswordInput
    label="Password"
    description={`At least ${MIN_PASSWORD_LENGTH} characters`}
    autoComplete="new-password"
    required
    {...field}
  />
);

/** For users who opened a password form by mistake. */
export const BackToSignIn = () => (
  <Link href="/login" className={`tm-link ${classes.back}`}>
    Back to sign-in
  </Link>
);

type LinkInput = { token: string; password: string };
type Props = { action: string; send: { mutateAsync: (given: LinkInput) => Promise<unknown>; isSuccess: boolean } };

/** Lets the holder of an invite or reset link choose a password. */
function LinkForm({ action, send }: Props) {
  const token = useLinkToken();
  const form = useForm({ password: "" }, "uncontrolled");
  if (token === "") return <Message tone="bad">This link is incomplete. Copy the whole link.</Message>;
  return (
    <AuthForm
      form={form}
      action={action}
      isLeaving={send.isSuccess}
      onSubmit={({ password }) => form.send(resetInput, send, { token: token ?? "", password })}
    >
      <NewPassword {...form.field("password")} />
    </AuthForm>
  );
}

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

/** Sets a new password through a mailed link; the user then signs in with it. */
export function ResetForm() {
  const reset = useMutation(
    useTRPC().auth.resetPassword.mutationOptions({ onSuccess: () => window.location.assign("/login") }),
  );
  return <LinkForm action="Set password" send={reset} />;
}

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
