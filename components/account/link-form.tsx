"use client";

import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import { resetInput } from "@/server/identity/auth/schema";
import { AuthForm } from "./auth-form";
import { useLinkToken } from "./link-token";
import { NewPassword } from "./new-password";

type LinkInput = { token: string; password: string };
type Props = { action: string; send: { mutateAsync: (given: LinkInput) => Promise<unknown>; isSuccess: boolean } };

/** Lets the holder of an invite or reset link choose a password. */
export function LinkForm({ action, send }: Props) {
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
