"use client";

import { Button, PasswordInput } from "@mantine/core";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import { MIN_PASSWORD_LENGTH, resetInput } from "@/server/auth/schema";
import classes from "./entrance.module.css";
import { useLinkToken } from "./link-token";

type Given = { token: string; password: string };
type Props = { action: string; send: { mutateAsync: (given: Given) => Promise<unknown>; isSuccess: boolean } };

/** Lets the holder of a link choose a password. */
export function LinkForm({ action, send }: Props) {
  const token = useLinkToken();
  const form = useForm({ password: "" }, "uncontrolled");
  if (token === "") return <Message tone="bad">This link is incomplete. Copy the whole link.</Message>;
  return (
    <form
      ref={form.element}
      onSubmit={form.onSubmit(({ password }) => form.send(resetInput, send, { token: token ?? "", password }))}
      className={classes.form}
      method="post"
      noValidate
    >
      {form.message && <Message tone="bad">{form.message}</Message>}
      <PasswordInput
        label="Password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters`}
        autoComplete="new-password"
        required
        {...form.field("password")}
      />
      <Button type="submit" loading={form.isBusy || send.isSuccess} fullWidth>
        {action}
      </Button>
    </form>
  );
}
