"use client";

import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import { spanOf } from "@/components/audit/filters/list-input";
import { PRESETS, type Preset } from "@/components/audit/filters/range";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { instantParam } from "@/components/format/instant-param";
import { useZone } from "@/components/format/zone";

const parsers = {
  range: parseAsStringLiteral(PRESETS),
  from: instantParam,
  to: instantParam,
};
const DEFAULT_PRESET: Preset = "30d";

/** The range in the URL, by default the last 30 days, and its instants. */
export function useReportRange(loadedAt: string) {
  const [view, setView] = useQueryStates(parsers, { history: "push" });
  const [now] = useState(() => new Date(loadedAt));
  const { zone } = useZone();
  const range = view.range ?? (view.from || view.to ? null : DEFAULT_PRESET);
  const chosen: RangeView = { ...view, range };
  const span = spanOf(chosen, zone, now);
  return { chosen, setView, now, range: { from: span.from?.toISOString(), to: span.to?.toISOString() } };
}
