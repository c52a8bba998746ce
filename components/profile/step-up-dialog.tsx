"use client";

import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { askForPasskey } from "@/components/account/passkey";
import { type Inputs, useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";
import { stepUpInput } from "@/server/identity/me/two-factor/schema";

/** Asks the user to confirm their identity again, with any method they sign in with. */
export function StepUpDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const trpc = useTRPC();
  const begin = useMutation(trpc.me.beginStepUp.mutationOptions());
  const prove = useMutation(trpc.me.stepUp.mutationOptions({ onSuccess: onDone }));
  const form = useForm({ password: "", code: "" });
  useOnce(() => begin.mutate());
  const { methods = [], challenge = null, passkeyOptions = null } = begin.data ?? {};
  const byCode = methods.includes("totp") && form.values.code !== "";
  const draft: Inputs["me"]["stepUp"] = byCode ? { code: form.values.code } : { password: form.values.password };
  const byPasskey = async () => {
    const passkey = await askForPasskey(passkeyOptions);
    if (passkey && challenge) await form.send(stepUpInput, prove, { challenge, passkey: { ...passkey } });
    else form.refuse("The passkey was not confirmed. Try again, or use another way.");
  };
  return (
    <FormDialog
      form={form}
      title="Confirm that it is you"
      action="Confirm"
      onSubmit={() => form.send(stepUpInput, prove, draft)}
      onClose={onClose}
    >
      {begin.isError && <Message tone="bad">{errorText(begin.error)}</Message>}
      <Text>This requires a sign-in or confirmation within the last ten minutes.</Text>
      {passkeyOptions && (
        <Button variant="default" leftSection={<KeyRound size={15} aria-hidden />} onClick={byPasskey}>
          Use a passkey
        </Button>
      )}
      {methods.includes("password") && (
        // autoFocus, because the fields appear after the dialog has opened.
        <PasswordInput label="Password" autoComplete="current-password" {...form.field("password")} autoFocus />
      )}
      {methods.includes("totp") && (
        <TextInput
          label={methods.includes("password") ? "Or a code from your app" : "Code from your app"}
          inputMode="numeric"
          autoComplete="one-time-code"
          autoFocus={!methods.includes("password")}
          {...form.field("code")}
        />
      )}
      {begin.data && methods.length === 0 && (
        <Text>You sign in through your identity provider: sign out and in again, then continue.</Text>
      )}
    </FormDialog>
  );
}
