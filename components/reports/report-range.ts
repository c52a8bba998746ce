"use client";

import { focusManager, type UseQueryResult, useQuery } from "@tanstack/react-query";
import { parseAsStringLiteral, useQueryStates } from "nuqs";
import { useEffect, useState } from "react";
import type { RangeView } from "@/components/audit/filters/range-choices";
import { PRESETS, type Preset } from "@/components/audit/state/range";
import { spanOf } from "@/components/audit/state/view";
import { instantParam } from "@/components/format/instant-param";
import { useZone } from "@/components/format/zone";
import { type ApiError, type Outputs, UNBATCHED, useTRPC } from "@/components/trpc";
import { isObject } from "@/server/ground/records";
import type { Report } from "@/server/notify/report-schedules/vocabulary";

export type Reports = {
  activity: Outputs["audit"]["reportUserActivity"];
  security: Outputs["audit"]["reportSecurityEvents"];
  compliance: Outputs["audit"]["reportCompliance"];
  statistics: Outputs["audit"]["statistics"];
};

export type ReportInput = { orgId?: string; from?: string; to?: string };
/** Settings of a report besides its range: time zone of the hours, and whether to omit agents and routine. */
export type Counting = { zone: string; only?: "people"; routine?: "without" };

const PROCEDURE = {
  activity: "reportUserActivity",
  security: "reportSecurityEvents",
  compliance: "reportCompliance",
  statistics: "statistics",
} as const;

/** isStill: whether the range is fixed. A moving range is refetched automatically. */
type Options<K> = { kind: K; range: ReportInput & Counting; isStill: () => boolean };
type Result<K extends Report> = UseQueryResult<Reports[K], ApiError>;

/** One report. While a new range loads, its old numbers stay; those of another report or organization do not. */
export function useReport<K extends Report>({ kind, range, isStill }: Options<K>): Result<K> {
  const { audit } = useTRPC();
  // All reports take the same input; their outputs differ by kind.
  const procedure = audit[PROCEDURE[kind]] as (typeof audit)["statistics"];
  const ownKey = ["audit", PROCEDURE[kind]].join();
  const query = useQuery(
    procedure.queryOptions(range, {
      trpc: UNBATCHED,
      refetchOnWindowFocus: isStill,
      placeholderData: (before, query) => {
        const [path, { input } = {}] = query?.queryKey ?? [];
        const isOwn = String(path) === ownKey && isObject(input) && input.orgId === range.orgId;
        return isOwn ? before : undefined;
      },
    }),
  );
  return query as unknown as Result<K>;
}

const parsers = {
  range: parseAsStringLiteral(PRESETS),
  from: instantParam,
  to: instantParam,
};
const DEFAULT_PRESET: Preset = "30d";

/**
 * Range in the URL, by default the last 30 days, as instants. A preset is fixed when it or the organization is chosen,
 * or when the page becomes visible again; isStill: the range has fixed instants.
 */
export function useReportRange(loadedAt: string, orgId: string | undefined) {
  const [view, changeView] = useQueryStates(parsers, { history: "push" });
  const [now, setNow] = useState(() => new Date(loadedAt));
  const [begun, setBegun] = useState({ loadedAt, orgId });
  if (begun.loadedAt !== loadedAt || begun.orgId !== orgId) {
    setBegun({ loadedAt, orgId });
    setNow(new Date());
  }
  useEffect(() => focusManager.subscribe((isFocused) => isFocused && setNow(new Date())), []);
  const setView = (range: RangeView) => {
    setNow(new Date());
    return changeView(range);
  };
  const { zone } = useZone();
  const range = view.range ?? (view.from || view.to ? null : DEFAULT_PRESET);
  const chosen: RangeView = { ...view, range };
  const span = spanOf(chosen, zone, now);
  const isStill = () => spanOf(chosen, zone, new Date()).from?.getTime() === span.from?.getTime();
  return { chosen, setView, now, isStill, range: { from: span.from?.toISOString(), to: span.to?.toISOString() } };
}
