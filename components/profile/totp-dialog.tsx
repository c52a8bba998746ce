"use client";

import { Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { qrPath } from "@/components/ui/code/qr-svg";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { CopyLine } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText, Message } from "@/components/ui/notice";
import { useOnce } from "@/components/ui/use-once";
import { confirmInput } from "@/server/identity/me/two-factor/schema";
import classes from "./profile.module.css";

/** A QR code; dark on light in both color schemes, because scanners expect that. */
export function QrCode({ text, label }: { text: string; label: string }) {
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

type Props = { onDone: (codes: string[] | null) => void; onClose: () => void };

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
