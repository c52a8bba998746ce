"use client";

import { TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useTRPC } from "@/components/trpc";
import { useForm } from "@/components/ui/dialogs/use-form";
import { completeInput } from "@/server/setup/schema";
import { AuthForm, NewPassword } from "./password-forms";
import { signInBy } from "./sign-in";

/** First-run setup: the token from the console authorizes it; the other fields create the first administrator. */
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
    <AuthForm
      form={form}
      action="Set up Trailmark"
      isLeaving={complete.isSuccess}
      onSubmit={(values) => form.send(completeInput, complete, values)}
    >
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
      <NewPassword {...form.field("password")} />
    </AuthForm>
  );
}
