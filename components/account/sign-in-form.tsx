"use client";

import { Anchor, Button, PasswordInput, TextInput } from "@mantine/core";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import type { SignInOptions } from "@/server/auth/schema";
import classes from "./entrance.module.css";

/** Only a path of this site: a link must not redirect elsewhere after sign-in. */
function ownPath(target: string | null): string {
  if (!target?.startsWith("/") || /^\/[/\\]|[\n\r\t]/.test(target)) return "/";
  return target;
}

const WORDS: Record<string, string> = {
  CredentialsSignin: "Wrong e-mail address or password, or the account is disabled.",
  rate_limited: "Too many attempts. Wait a minute, then try again.",
};
/** Keeps the button busy until the next page is there. */
const LEAVING = new Promise<never>(() => {});
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

/** E-mail and password; a refusal does not say which of the two was wrong. */
export function SignInForm({ options }: { options: SignInOptions }) {
  const params = useSearchParams();
  const target = ownPath(params.get("callbackUrl"));
  const form = useForm({ email: "", password: "" }, "uncontrolled");
  const submit = async ({ email, password }: typeof form.values) => {
    const refusal = await signInWith(email, password).catch(() => UNREACHABLE);
    if (refusal) return form.refuse(refusal);
    window.location.assign(target);
    return LEAVING;
  };
  return (
    <form ref={form.element} onSubmit={form.onSubmit(submit)} className={classes.form} method="post">
      {form.message && <Message tone="bad">{form.message}</Message>}
      {!form.message && params.has("ended") && (
        <Message tone="warn">Your session has ended. Sign in to continue where you were.</Message>
      )}
      <TextInput type="email" label="E-mail" autoComplete="username" required autoFocus {...form.field("email")} />
      <PasswordInput label="Password" autoComplete="current-password" required {...form.field("password")} />
      <Button type="submit" loading={form.isBusy} fullWidth>
        Sign in
      </Button>
      {options.mail && (
        <Anchor component={Link} href="/forgot" size="sm">
          Forgot your password?
        </Anchor>
      )}
    </form>
  );
}
