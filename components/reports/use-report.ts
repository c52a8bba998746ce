import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ApiError, UNBATCHED, useTRPC } from "@/components/trpc";
import { isObject } from "@/server/ground/records";
import type { Report } from "@/server/notify/report-schedules/vocabulary";
import type { Reports } from "./shapes";

export type ReportInput = { orgId?: string; from?: string; to?: string };

const PROCEDURE = {
  activity: "reportUserActivity",
  security: "reportSecurityEvents",
  compliance: "reportCompliance",
  statistics: "statistics",
} as const;

/** isStill: whether the range is the same when the page is looked at again. One that moves on is read by itself. */
type Options<K> = { kind: K; range: ReportInput; isStill: () => boolean };
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
