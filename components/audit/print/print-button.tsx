"use client";

import { ActionIcon } from "@mantine/core";
import { Printer } from "lucide-react";
import { Tip } from "@/components/ui/popover/tip";

/** Prints all matching entries. */
export function PrintButton({ isPreparing, onPrint }: { isPreparing: boolean; onPrint: () => void }) {
  return (
    <Tip label="Print all that match, or save as PDF">
      <ActionIcon size={36} variant="default" aria-label="Print" onClick={onPrint} loading={isPreparing}>
        <Printer size={15} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}
