"use client";

import { Text } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";
import { RangeFields } from "@/components/integrity/range-fields";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { restoreInput } from "@/server/notify/streams/archive/schema";

type Props = { orgId: string; onClose: () => void };

/** Asks for a range of time, and restores the objects that hold its entries. */
export function RestoreDialog({ orgId, onClose }: Props) {
  const trpc = useTRPC();
  const restore = useMutation(trpc.archive.restore.mutationOptions(useDone(onClose, trpc.archive.pathFilter())));
  const [range, setRange] = useState<{ from: Date | null; to: Date | null }>({ from: null, to: null });
  const form = useForm({});
  const send = () =>
    form.send(restoreInput, restore, { orgId, from: range.from?.toISOString(), to: range.to?.toISOString() });
  return (
    <FormDialog form={form} title="Restore range" action="Restore" onSubmit={send} onClose={onClose}>
      <Text size="sm">
        Every object with entries of this time is read back and checked. Its entries stand beside the log for 24 hours.
      </Text>
      <RangeFields range={range} onRange={setRange} error={null} />
    </FormDialog>
  );
}
