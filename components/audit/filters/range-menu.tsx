"use client";

import { CalendarClock } from "lucide-react";
import dynamic from "next/dynamic";
import { PRESET_LABEL } from "@/components/audit/state/range";
import { PopoverSkeleton } from "@/components/ui/popover/popover";
import type { RangeView } from "./range-choices";
import { ToolMenu } from "./tool";

const RangeChoices = dynamic(() => import("./range-choices").then((m) => m.RangeChoices), {
  ssr: false,
  loading: PopoverSkeleton,
});

type Props = { view: RangeView; onRange: (range: RangeView) => void };

const rangeName = (view: RangeView) =>
  view.range ? PRESET_LABEL[view.range] : view.from || view.to ? "Custom range" : "All time";

/** The selected time range and a menu to change it. */
export const RangeMenu = ({ view, onRange }: Props) => (
  <ToolMenu name="Time range" value={rangeName(view)} icon={CalendarClock} width={320}>
    {(close) => <RangeChoices view={view} onRange={onRange} onDone={close} />}
  </ToolMenu>
);
