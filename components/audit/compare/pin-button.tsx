"use client";

import { ActionIcon } from "@mantine/core";
import { Pin, PinOff } from "lucide-react";
import { togglePin, usePins } from "@/components/audit/state/pins";
import { Tip } from "@/components/ui/popover/tip";

/** Pins an entry so that it can be compared with another. */
export function PinButton({ id }: { id: string }) {
  const isPinned = usePins().includes(id);
  const Icon = isPinned ? PinOff : Pin;
  const label = isPinned ? "Unpin" : "Pin to compare";
  return (
    <Tip label={label}>
      <ActionIcon size={32} aria-label={label} onClick={() => togglePin(id)}>
        <Icon size={15} aria-hidden />
      </ActionIcon>
    </Tip>
  );
}
