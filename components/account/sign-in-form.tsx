"use client";

import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useSearchParams } from "next/navigation";
import { type FormEvent, useState } from "react";
import { Message } from "@/components/ui/message";
import classes from "./entrance.module.css";

/** Only a path of our own: a link must not lead people elsewhere after they signed in. */
export function ownPath(target: string | null): string {
  if (!target?.startsWith("/") || /^\/[/\\]|[\n\r\t]/.test(target)) return "/";
  return target;
}

const WORDS: Record<string, string> = {
  CredentialsSignin: "That e-mail address and password do not go together, or the account is disabled.",
  rate_limited: "Too many attempts. Wait a minute, then try again.",
};
const UNREACHABLE = "The server could not be reached. Try again in a moment.";

async function signInWith(email: string, password: string): Promise<string | null> {
  const { signIn } = await import("next-auth/react");
  const answer = await signIn("credentials", { email, password, redirect: false });
  if (answer?.ok && !answer.error) return null;
  return (
    WORDS[answer?.error ?? ""] ??
    (answer?.status === 429 ? WORDS.rate_limited : answer?.error ? WORDS.CredentialsSignin : null) ??
    UNREACHABLE
  );
}

/** E-mail and password; a refusal says so without telling which of the two was wrong. */
export function SignInForm() {
  const params = useSearchParams();
  const target = ownPath(params.get("callbackUrl"));
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    setBusy(true);
    setError(null);
    const refusal = await signInWith(String(form.get("email")), String(form.get("password"))).catch(() => UNREACHABLE);
    if (refusal === null) return window.location.assign(target);
    setError(refusal);
    setBusy(false);
  };
  return (
    <form onSubmit={submit} className={classes.form} method="post">
      {error && <Message tone="bad">{error}</Message>}
      {!error && params.has("ended") && (
        <Message tone="warn">Your session has ended. Sign in to go on where you were.</Message>
      )}
      <TextInput
        name="email"
        type="email"
        label="E-mail"
        autoComplete="username"
        required
        withAsterisk={false}
        autoFocus
      />
      <PasswordInput
        name="password"
        label="Password"
        autoComplete="current-password"
        required
        withAsterisk={false}
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
      />
      <Button type="submit" loading={isBusy} fullWidth>
        Sign in
      </Button>
    </form>
  );
}
