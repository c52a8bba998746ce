"use client";

import { useMutation, useQuery } from "@tanstack/react-query";
import { counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { useDone } from "@/components/ui/dialogs/use-done";
import type { Definition } from "@/server/custom-fields/schema";

/** Deletes a field after stating how many values are deleted with it. */
export function DeleteField({ field, onClose }: { field: Definition; onClose: () => void }) {
  const trpc = useTRPC();
  const usage = useQuery(trpc.customFields.usage.queryOptions({ id: field.id }));
  const remove = useMutation(
    trpc.customFields.remove.mutationOptions(useDone(onClose, trpc.customFields.pathFilter())),
  );
  const values = usage.data
    ? counted(usage.data.values, "device holds a value", "devices hold a value")
    : "Counting values";
  return (
    <Confirm
      title={`Delete ${field.name}`}
      action="Delete field"
      isBusy={remove.isPending}
      error={remove.error ?? usage.error}
      onConfirm={() => remove.mutate({ id: field.id })}
      onClose={onClose}
    >
      {values} of this field. {usage.data?.values ? "The values are deleted with it and cannot be restored." : ""}
    </Confirm>
  );
}
