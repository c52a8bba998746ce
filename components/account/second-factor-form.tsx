"use client";

import { Button, TextInput } from "@mantine/core";
import { KeyRound } from "lucide-react";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import classes from "./auth.module.css";
import { askForPasskey } from "./passkey";
import { type Challenge, signInBy } from "./sign-in";

type Props = { challenge: Challenge; onDone: () => Promise<unknown>; onBack: () => void };

/** The second step of signing in: an authenticator code, a recovery code or a passkey. */
export function SecondFactorForm({ challenge: { challenge, passkeyOptions }, onDone, onBack }: Props) {
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
