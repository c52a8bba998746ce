"use client";

import { ActionIcon } from "@mantine/core";
import { Printer } from "lucide-react";
import { useViewer } from "@/components/audit/state/viewer-context";
import { Tip } from "@/components/ui/popover/tip";

/** Prints all matching entries. */
export function PrintButton() {
  const { isPreparing, begin } = useViewer().printing;
  return (
    <Tip label="Print all that match, or save as PDF">
      <ActionIcon size={36} variant="default" aria-label="Print" onClick={() => void begin()} loading={isPreparing}>
        <Printer size={15} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}
