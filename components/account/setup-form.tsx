"use client";

import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import type { FormEvent } from "react";
import { useTRPC } from "@/components/trpc";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { Message } from "@/components/ui/message";
import { MIN_PASSWORD_LENGTH } from "@/server/auth/schema";
import classes from "./entrance.module.css";

const FIELDS = ["token", "organizationName", "name", "email", "password"] as const;

/** The first run: the console's token proves who may, the rest makes the first administrator. */
export function SetupForm() {
  const complete = useMutation(useTRPC().setup.complete.mutationOptions());
  const errors = formErrors(complete.error, FIELDS);
  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const given = Object.fromEntries(FIELDS.map((name) => [name, String(form.get(name) ?? "")])) as Record<
      (typeof FIELDS)[number],
      string
    >;
    complete.mutate(given, {
      onSuccess: async () => {
        const { signIn } = await import("next-auth/react");
        await signIn("credentials", { email: given.email, password: given.password, redirect: false });
        window.location.assign("/");
      },
    });
  };
  const field = (name: (typeof FIELDS)[number]) => ({
    name,
    error: errors.of(name),
    required: true,
    withAsterisk: false,
  });
  return (
    <form onSubmit={submit} className={classes.form} method="post">
      {errors.general && <Message tone="bad">{errors.general}</Message>}
      <TextInput
        label="Setup token"
        description="Printed on the server's console when it started"
        autoComplete="off"
        {...field("token")}
      />
      <TextInput
        label="Your company"
        description="The managed service provider that runs Trailmark"
        autoComplete="organization"
        {...field("organizationName")}
      />
      <TextInput label="Your name" autoComplete="name" {...field("name")} />
      <TextInput type="email" label="E-mail" autoComplete="username" {...field("email")} />
      <PasswordInput
        label="Password"
        description={`At least ${MIN_PASSWORD_LENGTH} characters`}
        minLength={MIN_PASSWORD_LENGTH}
        autoComplete="new-password"
        visibilityToggleButtonProps={{ "aria-label": "Show or hide the password" }}
        {...field("password")}
      />
      <Button type="submit" loading={complete.isPending || complete.isSuccess} fullWidth>
        Set up Trailmark
      </Button>
    </form>
  );
}
