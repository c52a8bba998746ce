"use client";

import { Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { KeyRound } from "lucide-react";
import { useEffect, useEffectEvent, useState } from "react";
import { createPortal } from "react-dom";
import { askForPasskey } from "@/components/account/passkey";
import { type Inputs, useTRPC } from "@/components/trpc";
import { DialogForm, FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";
import { stepUpInput } from "@/server/identity/me/two-factor/schema";
import classes from "./profile.module.css";

const TITLE = "Confirm that it is you";

/** The content of the dialog that is open on top, if any. */
const openDialog = () =>
  [...document.querySelectorAll<HTMLElement>("[role=dialog] .mantine-Modal-body")].at(-1) ?? null;

/**
 * Makes an open dialog's other content inert while the confirmation is shown in it, and returns the focus afterwards.
 * Closing that dialog cancels the confirmation.
 */
function useHost(host: HTMLElement | null, onClose: () => void) {
  const cancel = useEffectEvent(onClose);
  useEffect(() => {
    if (!host) return;
    const focused = document.activeElement;
    const others = [...host.children].filter((child) => !(child instanceof HTMLElement && child.dataset.proof));
    for (const other of others) other.toggleAttribute("inert", true);
    const closing = new MutationObserver(() => !host.isConnected && cancel());
    closing.observe(document.body, { childList: true, subtree: true });
    return () => {
      closing.disconnect();
      for (const other of others) other.toggleAttribute("inert", false);
      if (focused instanceof HTMLElement) focused.focus();
    };
  }, [host]);
}

/**
 * Asks the user to confirm their identity again, with any method they sign in with: inside the dialog that needs it, or in
 * a separate dialog.
 */
export function StepUpDialog({ onDone, onClose }: { onDone: () => void; onClose: () => void }) {
  const trpc = useTRPC();
  const begin = useMutation(trpc.me.beginStepUp.mutationOptions());
  const prove = useMutation(trpc.me.stepUp.mutationOptions({ onSuccess: onDone }));
  const form = useForm({ password: "", code: "" });
  useOnce(() => begin.mutate());
  const [host] = useState(openDialog);
  useHost(host, onClose);
  const { methods = [], challenge = null, passkeyOptions = null } = begin.data ?? {};
  const byCode = methods.includes("totp") && form.values.code !== "";
  const draft: Inputs["me"]["stepUp"] = byCode ? { code: form.values.code } : { password: form.values.password };
  const byPasskey = async () => {
    const passkey = await askForPasskey(passkeyOptions);
    if (passkey && challenge) await form.send(stepUpInput, prove, { challenge, passkey: { ...passkey } });
    else form.refuse("The passkey was not confirmed. Try again, or use another way.");
  };
  const fields = (
    <>
      {begin.isError && <Message tone="bad">{errorText(begin.error)}</Message>}
      {methods.includes("password") && <Text>Enter your password to continue.</Text>}
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
    </>
  );
  const props = {
    form,
    action: "Confirm",
    onSubmit: () => form.send(stepUpInput, prove, draft),
    onClose,
    children: fields,
  };
  if (!host) return <FormDialog title={TITLE} {...props} />;
  return createPortal(
    <section className={classes.proof} aria-label={TITLE} data-proof>
      <Text fw={600}>{TITLE}</Text>
      <DialogForm {...props} />
    </section>,
    host,
  );
}
