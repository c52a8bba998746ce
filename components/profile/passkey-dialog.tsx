"use client";

import { Text, TextInput } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { createPasskey } from "@/components/account/passkey";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { errorText } from "@/components/ui/notice";
import { displayName } from "@/server/ground/wire";

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
