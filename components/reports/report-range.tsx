"use client";

import { parseAsIsoDateTime, parseAsStringLiteral, useQueryStates } from "nuqs";
import { useState } from "react";
import type { View } from "../audit/filters";
import { PRESETS, type Preset, presetSpan } from "../audit/range";
import { RangeMenu } from "../audit/range-menu";
import type { SetView } from "../audit/toolbar";
import { useZone } from "../shell/zone";

export type RangeView = { range: Preset | null; from: Date | null; to: Date | null };

const parsers = {
  range: parseAsStringLiteral(PRESETS),
  from: parseAsIsoDateTime,
  to: parseAsIsoDateTime,
};
const USUAL: Preset = "30d";

/** The range that the address asks for, the last 30 days where it asks for none, and its instants. */
export function useReportRange() {
  const [view, setView] = useQueryStates(parsers, { history: "push" });
  const [now] = useState(() => new Date());
  const { zone } = useZone();
  const range = view.range ?? (view.from || view.to ? null : USUAL);
  const chosen: RangeView = { ...view, range };
  const span = range ? presetSpan(range, zone, now) : { from: view.from ?? undefined, to: view.to ?? undefined };
  return { chosen, setView, now, asked: { from: span.from?.toISOString(), to: span.to?.toISOString() } };
}

type Props = { chosen: RangeView; setView: ReturnType<typeof useReportRange>["setView"]; now: Date };

/** The audit log's own range menu, over the report's range. */
export function ReportRange({ chosen, setView, now }: Props) {
  const set = ({ range = null, from = null, to = null }: Partial<RangeView>) => setView({ range, from, to });
  return <RangeMenu view={chosen as View} setView={set as unknown as SetView} now={now} />;
}
