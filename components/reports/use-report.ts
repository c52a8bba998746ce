import { type UseQueryResult, useQuery } from "@tanstack/react-query";
import { type ApiError, UNBATCHED, useTRPC } from "@/components/trpc";
import { isObject } from "@/server/records";
import type { Report } from "@/server/report-schedules/vocabulary";
import type { Reports } from "./shapes";

export type ReportInput = { orgId?: string; from?: string; to?: string };

const PROCEDURE = {
  activity: "reportUserActivity",
  security: "reportSecurityEvents",
  compliance: "reportCompliance",
  statistics: "statistics",
} as const;

/** One report. While a new range loads, its old numbers stay; those of another report or organization do not. */
export function useReport<K extends Report>(kind: K, range: ReportInput): UseQueryResult<Reports[K], ApiError> {
  const { audit } = useTRPC();
  // All reports take the same input; their outputs differ by kind.
  const procedure = audit[PROCEDURE[kind]] as (typeof audit)["statistics"];
  const ownKey = ["audit", PROCEDURE[kind]].join();
  const query = useQuery(
    procedure.queryOptions(range, {
      trpc: UNBATCHED,
      placeholderData: (before, query) => {
        const [path, { input } = {}] = query?.queryKey ?? [];
        const isOwn = String(path) === ownKey && isObject(input) && input.orgId === range.orgId;
        return isOwn ? before : undefined;
      },
    }),
  );
  return query as unknown as UseQueryResult<Reports[K], ApiError>;
}
