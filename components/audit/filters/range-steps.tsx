"use client";

import { ActionIcon, Group } from "@mantine/core";
import { ChevronLeft, ChevronRight, ZoomOut } from "lucide-react";
import { type Span, shifted, widened } from "@/components/audit/state/range";
import { FROM_START, spanOf } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { useZone } from "@/components/format/zone";
import { Tip } from "@/components/ui/popover/tip";

/** Moves the range back and forth by its own length, or widens it; hidden for all time. */
export function RangeSteps() {
  const { view, setView, now } = useViewer();
  const { zone } = useZone();
  const span = spanOf(view, zone, now);
  if (!span.from) return null;
  const show = ({ from, to }: Span) => setView({ range: null, from: from ?? null, to: to ?? null, ...FROM_START });
  const steps = [
    { label: "Earlier", icon: ChevronLeft, span: shifted(span, -1, now) },
    { label: "Later", icon: ChevronRight, span: shifted(span, 1, now), isOff: !span.to || span.to >= now },
    { label: "Zoom out", icon: ZoomOut, span: widened(span, now) },
  ];
  return (
    <Group gap={4} wrap="nowrap">
      {steps.map(({ label, icon: Icon, span: next, isOff = false }) => (
        <Tip key={label} label={label}>
          <ActionIcon size={36} variant="default" aria-label={label} disabled={isOff} onClick={() => show(next)}>
            <Icon size={15} aria-hidden />
          </ActionIcon>
        </Tip>
      ))}
    </Group>
  );
}
