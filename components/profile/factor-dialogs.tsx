"use client";

import { Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { createPasskey } from "@/components/account/passkey";
import { useTRPC } from "@/components/trpc";
import { qrPath } from "@/components/ui/code/qr-svg";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { CopyLine, SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";
import { displayName } from "@/server/ground/wire";
import { confirmInput } from "@/server/identity/me/two-factor/schema";
import classes from "./profile.module.css";

type Props = { onDone: (codes: string[] | null) => void; onClose: () => void };

/** Creates a passkey in this browser and saves it under a name. */
export function PasskeyDialog({ onDone, onClose }: Props) {
  const trpc = useTRPC();
  const form = useForm({ name: "" });
  const begin = useMutation(trpc.me.beginPasskey.mutationOptions());
  const add = useMutation(trpc.me.addPasskey.mutationOptions());
  const submit = async ({ name }: { name: string }) => {
    if (!displayName.safeParse(name).success) return form.refuse("", [{ path: "name", message: "Required" }]);
    try {
      const { challenge, options } = await begin.mutateAsync();
      const response = await createPasskey(options);
      if (!response) return form.refuse("The browser created no passkey. Nothing was changed.");
      onDone((await add.mutateAsync({ challenge, name, response: { ...response } })).recoveryCodes);
    } catch (error) {
      form.refuse(errorText(error));
    }
  };
  return (
    <FormDialog form={form} title="Add a passkey" action="Create passkey" onSubmit={submit} onClose={onClose}>
      <Text>Your browser asks for your fingerprint, face, PIN or security key.</Text>
      <TextInput
        label="Name"
        description="A name that you will recognize, such as Work laptop"
        required
        {...form.field("name")}
        data-autofocus
      />
    </FormDialog>
  );
}

/** A QR code; dark on light in both color schemes, because scanners expect that. */
function QrCode({ text, label }: { text: string; label: string }) {
  const { path, size } = qrPath(text);
  return (
    <svg
      className={classes.qr}
      viewBox={`0 0 ${size} ${size}`}
      role="img"
      aria-label={label}
      shapeRendering="crispEdges"
    >
      <rect width={size} height={size} fill="#fff" />
      <path d={path} fill="#000" />
    </svg>
  );
}

/** Sets up an authenticator app: scan the code, then enter a first one. */
export function TotpDialog({ onDone, onClose }: Props) {
  const trpc = useTRPC();
  const form = useForm({ code: "" });
  const begin = useMutation(trpc.me.beginTotp.mutationOptions());
  useOnce(() => begin.mutate());
  const confirm = useMutation(
    trpc.me.confirmTotp.mutationOptions({ onSuccess: ({ recoveryCodes }) => onDone(recoveryCodes) }),
  );
  return (
    <FormDialog
      form={form}
      title="Set up an authenticator app"
      action="Turn on"
      onSubmit={({ code }) => form.send(confirmInput, confirm, { code })}
      onClose={onClose}
    >
      {begin.isError && <Message tone="bad">{errorText(begin.error)}</Message>}
      <Text>Scan this with an authenticator app, then enter the six digits that it shows.</Text>
      {begin.data && (
        <>
          <QrCode text={begin.data.uri} label="QR code for your authenticator app" />
          <CopyLine label="Or type this key" value={begin.data.secret} />
        </>
      )}
      <TextInput
        label="Code"
        inputMode="numeric"
        autoComplete="one-time-code"
        required
        {...form.field("code")}
        data-autofocus
      />
    </FormDialog>
  );
}

/** Shows the recovery codes once. */
export function RecoveryCodesDialog({ codes, onClose }: { codes: string[]; onClose: () => void }) {
  return (
    <SecretDialog title="Recovery codes" onClose={onClose}>
      <Text>
        Each code works once, for when your other factor is not available. They are shown only now: store them where you
        keep passwords.
      </Text>
      <ul className={classes.codes}>
        {codes.map((code) => (
          <li key={code}>
            <code>{code}</code>
          </li>
        ))}
      </ul>
      <CopyLine label="All codes" value={codes.join(" ")} />
    </SecretDialog>
  );
}
