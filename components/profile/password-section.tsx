"use client";

import { Button, PasswordInput, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import { Section } from "@/components/ui/section";
import { MIN_PASSWORD_LENGTH } from "@/server/identity/auth/schema";
import { passwordInput } from "@/server/identity/me/schema";
import classes from "./profile.module.css";

const NONE = { currentPassword: "", newPassword: "" };

/** Changes the user's password, which ends their other sessions, and reports how many. */
export function PasswordSection() {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const form = useForm(NONE);
  const change = useMutation(
    trpc.me.changePassword.mutationOptions({
      onSuccess: () => {
        form.set("currentPassword", "");
        form.set("newPassword", "");
        return cache.invalidateQueries(trpc.me.sessions.pathFilter());
      },
    }),
  );
  const ended = change.data?.endedSessions ?? 0;
  return (
    <Section title="Password">
      <form
        ref={form.element}
        onSubmit={form.onSubmit((values) => form.send(passwordInput, change, values))}
        className={classes.form}
        noValidate
      >
        <Stack gap="md">
          {form.message && <Message tone="bad">{form.message}</Message>}
          {change.isSuccess && !form.message && (
            <p role="status" className={classes.done}>
              Password changed. {ended > 0 && `${ended} other ${ended === 1 ? "session has" : "sessions have"} ended.`}
            </p>
          )}
          <PasswordInput
            label="Current password"
            required
            autoComplete="current-password"
            {...form.field("currentPassword")}
          />
          <PasswordInput
            label="New password"
            description={`At least ${MIN_PASSWORD_LENGTH} characters. Changing it ends your other sessions.`}
            required
            autoComplete="new-password"
            {...form.field("newPassword")}
          />
          <div>
            <Button type="submit" loading={form.isBusy}>
              Change password
            </Button>
          </div>
        </Stack>
      </form>
    </Section>
  );
}
