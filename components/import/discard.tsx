"use client";

import { Button } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useDone } from "@/components/ui/dialogs/form-dialog";

/** Deletes the import and its files; nothing has been written yet. */
export function Discard({ id, name }: { id: string; name?: string }) {
  const trpc = useTRPC();
  const router = useRouter();
  const [isAsking, ask] = useDisclosure(false);
  const leave = () => {
    if (!name) router.push("/settings/custom-fields/import");
    ask.close();
  };
  const discard = useMutation(trpc.imports.discard.mutationOptions(useDone(leave, trpc.imports.list.pathFilter())));
  return (
    <>
      <Button
        variant="subtle"
        color="gray"
        size={name ? "compact-sm" : "sm"}
        aria-label={name && `Discard ${name}`}
        onClick={ask.open}
      >
        {name ? "Discard" : "Discard this import"}
      </Button>
      {isAsking && (
        <Confirm
          title="Discard this import"
          action="Discard"
          isBusy={discard.isPending}
          error={discard.error}
          onConfirm={() => discard.mutate({ id })}
          onClose={ask.close}
        >
          Its files and mapping are deleted. Nothing has been written to a device.
        </Confirm>
      )}
    </>
  );
}
