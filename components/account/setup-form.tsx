"use client";

import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message } from "@/components/ui/message";
import { MIN_PASSWORD_LENGTH } from "@/server/auth/schema";
import { completeInput } from "@/server/setup/schema";
import classes from "./entrance.module.css";
import { signInBy } from "./sign-in";

/** The first run: the console's token proves who may, the rest creates the first administrator. */
export function SetupForm() {
  const form = useForm({ token: "", organizationName: "", name: "", email: "", password: "" }, "uncontrolled");
  const complete = useMutation(
    useTRPC().setup.complete.mutationOptions({
      onSuccess: async (_, { email, password }) => {
        await signInBy("credentials", { email, password });
        window.location.assign("/");
      },
    }),
  );
  return (
    <form
      ref={form.element}
      onSubmit={form.onSubmit((values) => form.send(completeInput, complete, values))}
      className={classes.form}
      method="post"
      noValidate
    >
      {form.message && <Message tone="bad">{form.message}</Message>}
      <TextInput
        label="Setup token"
        description="Shown on the server's console when it started"
        autoComplete="off"
        required
        {...form.field("token")}
      />
      <TextInput
        label="Your company"
        description="The managed service provider that runs Trailmark"
        autoComplete="organization"
        required
        {...form.field("organizationName")}
      />
      <TextInput label="Your name" autoComplete="name" required {...form.field("name")} />
      <TextInput type="email" label="E-mail" autoComplete="username" required {...form.field("email")} />
      <PasswordInput
        label="Password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters`}
        autoComplete="new-password"
        required
        {...form.field("password")}
      />
      <Button type="submit" loading={form.isBusy || complete.isSuccess} fullWidth>
        Set up Trailmark
      </Button>
    </form>
  );
}
