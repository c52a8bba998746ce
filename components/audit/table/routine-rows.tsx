"use client";

import { keepPreviousData, useQuery } from "@tanstack/react-query";
import type { RoutineFold } from "@/components/audit/state/lines";
import { FROM_START } from "@/components/audit/state/view";
import { useViewer } from "@/components/audit/state/viewer-context";
import { count, counted } from "@/components/format/amounts";
import { useTRPC } from "@/components/trpc";
import { readErrorText } from "@/components/ui/notice";
import { ROUTINE_ACTIONS } from "@/server/audit/vocabulary";
import { useTable } from "./columns";
import { EntryRows } from "./entry-row";
import classes from "./fold-row.module.css";

/** The newest entries of folded telemetry, and a link to all of them. */
export function RoutineRows({ fold }: { fold: RoutineFold }) {
  const { input, setView } = useViewer();
  const { columns } = useTable();
  const { cursor: _, ...filter } = input;
  const { first: from, last: to } = fold;
  const list = useQuery(
    useTRPC().audit.list.queryOptions(
      { ...filter, routine: "only", from, to },
      // The rows of a fold that is recounted stay until its newest ones are there.
      { staleTime: Number.POSITIVE_INFINITY, placeholderData: keepPreviousData },
    ),
  );
  const showAll = () =>
    setView({
      actions: ROUTINE_ACTIONS.join(","),
      result: "success",
      range: null,
      from: new Date(from),
      to: new Date(to),
      ...FROM_START,
    });
  const rows = list.data?.data ?? [];
  return (
    <>
      <EntryRows entries={rows} />
      {(rows.length < fold.count || list.isError) && (
        <tr className={classes.more}>
          <td colSpan={columns.length} role={list.isError ? "alert" : "status"}>
            {list.isError && readErrorText(list.error)}
            {list.isPending && `Loading ${counted(fold.count, "entry", "entries")}`}
            {list.isSuccess && (
              <>
                The newest {count(rows.length)} of {count(fold.count)}.{" "}
                <button type="button" className={classes.link} onClick={showAll}>
                  Show all
                </button>
              </>
            )}
          </td>
        </tr>
      )}
    </>
  );
}
