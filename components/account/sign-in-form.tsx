"use client";

import { Anchor, Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import Link from "next/link";
import { useSearchParams } from "next/navigation";
import { useEffect, useState } from "react";
import { type Outputs, useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/notice";
import type { SignInOptions } from "@/server/identity/auth/schema";
import classes from "./auth.module.css";
import { askForPasskey } from "./passkey";
import { type Challenge, signInBy } from "./sign-in";

type Props = { challenge: Challenge; onDone: () => Promise<unknown>; onBack: () => void };

/** The second step of signing in: an authenticator code, a recovery code or a passkey. */
function SecondFactorForm({ challenge: { challenge, passkeyOptions }, onDone, onBack }: Props) {
  const form = useForm({ code: "" }, "uncontrolled");
  const send = async (fields: Record<string, string>) => {
    const outcome = await signInBy("second-factor", { challenge, ...fields });
    return outcome.kind === "refused" ? form.refuse(outcome.message) : onDone();
  };
  const withPasskey = async () => {
    const passkey = await askForPasskey(passkeyOptions);
    if (passkey) await send({ passkey: JSON.stringify(passkey) });
    else form.refuse("The passkey was not confirmed. Try again, or enter a code.");
  };
  return (
    <form
      ref={form.element}
      onSubmit={form.onSubmit(({ code }) => send({ code }))}
      className={classes.form}
      method="post"
    >
      {form.message && <Message tone="bad">{form.message}</Message>}
      {passkeyOptions && (
        <Button leftSection={<KeyRound size={15} aria-hidden />} onClick={withPasskey} fullWidth>
          Use a passkey
        </Button>
      )}
      <TextInput
        label="Code"
        description="From your authenticator app, or a recovery code"
        autoComplete="one-time-code"
        required
        autoFocus={!passkeyOptions}
        {...form.field("code")}
      />
      <Button type="submit" variant={passkeyOptions ? "default" : "filled"} loading={form.isBusy} fullWidth>
        Continue
      </Button>
      <Button variant="subtle" color="gray" onClick={onBack} fullWidth>
        Use another account
      </Button>
    </form>
  );
}

/** Accepts only paths of this site, to prevent an open redirect after sign-in. */
function ownPath(target: string | null): string {
  if (!target?.startsWith("/") || /^\/[/\\]|[\n\r\t]/.test(target)) return "/";
  return target;
}

async function byProvider(callbackUrl: string) {
  const { signIn } = await import("next-auth/react");
  await signIn("oidc", { callbackUrl });
}

const PROVIDER_ERROR_TEXT: Record<string, string> = {
  oidc_unknown: "Your sign-in does not match an account here. Ask your administrator for a link.",
};
const PROVIDER_FAILED = "The sign-in at your identity provider did not succeed. Try again.";

/** Never resolves: keeps the button busy until the browser has navigated. */
const NEVER_RESOLVES = new Promise<never>(() => {});

/** A challenge that the identity provider's callback passed in the URL fragment, which is not sent to the server. */
function useCallbackChallenge(): [Challenge | null, (challenge: Challenge | null) => void] {
  const trpc = useTRPC();
  const [challenge, setChallenge] = useState<Challenge | null>(null);
  const { mutate } = useMutation(trpc.auth.describeChallenge.mutationOptions());
  useEffect(() => {
    const callbackChallenge = /^#(tmc_[\w-]+)$/.exec(window.location.hash)?.[1];
    if (!callbackChallenge) return;
    setChallenge({ challenge: callbackChallenge, methods: [] });
    const showMethods = ({ methods, passkeyOptions }: Outputs["auth"]["describeChallenge"]) =>
      setChallenge({ challenge: callbackChallenge, methods, ...(passkeyOptions && { passkeyOptions }) });
    // If the lookup fails, submitting the challenge will report the reason.
    mutate({ challenge: callbackChallenge }, { onSuccess: showMethods });
  }, [mutate]);
  return [challenge, setChallenge];
}

/** E-mail and password, then the second factor if there is one. A failure does not reveal which of them was wrong. */
export function SignInForm({ options }: { options: SignInOptions }) {
  const params = useSearchParams();
  const error = params.get("error");
  const [challenge, setChallenge] = useCallbackChallenge();
  const form = useForm({ email: "", password: "" }, "uncontrolled");
  const leave = () => {
    window.location.assign(ownPath(params.get("callbackUrl")));
    return NEVER_RESOLVES;
  };
  const submit = async ({ email, password }: typeof form.values) => {
    const outcome = await signInBy("credentials", { email, password });
    if (outcome.kind === "done") return leave();
    return outcome.kind === "refused" ? form.refuse(outcome.message) : setChallenge(outcome);
  };
  if (challenge) return <SecondFactorForm challenge={challenge} onDone={leave} onBack={() => setChallenge(null)} />;
  return (
    <form ref={form.element} onSubmit={form.onSubmit(submit)} className={classes.form} method="post">
      {form.message && <Message tone="bad">{form.message}</Message>}
      {!form.message && error && <Message tone="bad">{PROVIDER_ERROR_TEXT[error] ?? PROVIDER_FAILED}</Message>}
      {!form.message && params.has("ended") && (
        <Message tone="warn">Your session has ended. Sign in to continue where you were.</Message>
      )}
      <TextInput type="email" label="E-mail" autoComplete="username" required autoFocus {...form.field("email")} />
      <PasswordInput label="Password" autoComplete="current-password" required {...form.field("password")} />
      <Button type="submit" loading={form.isBusy} fullWidth>
        Sign in
      </Button>
      {options.oidc && (
        <Button variant="default" onClick={() => byProvider(ownPath(params.get("callbackUrl")))} fullWidth>
          Sign in with {options.oidc}
        </Button>
      )}
      {options.mail && (
        <Anchor component={Link} href="/forgot" size="sm">
          Forgot your password?
        </Anchor>
      )}
    </form>
  );
}
