"use client";

import { Button } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Confirm } from "@/components/ui/dialogs/confirm";
import { Message } from "@/components/ui/message";
import { Notice } from "@/components/ui/notice";
import { PagedList } from "@/components/ui/paged-list";
import { type Column, RecordTable } from "@/components/ui/record-table";
import { RowButton } from "@/components/ui/row-button";
import { Section } from "@/components/ui/section";
import { useInvalidation } from "@/components/use-invalidation";
import type { ReportSchedule } from "@/server/notify/report-schedules/schema";
import { REPORT_LABEL } from "@/server/notify/report-schedules/vocabulary";
import classes from "./notifications.module.css";

const ScheduleDialog = dynamic(() => import("./schedule-dialog").then((m) => m.ScheduleDialog), { ssr: false });

const EVERY = { weekly: "Weekly", monthly: "Monthly" };

/** The user's scheduled reports. */
export function SchedulesSection() {
  const trpc = useTRPC();
  const { nameOf } = useOrg();
  const [page, setPage] = useState(1);
  const [creating, setCreating] = useState(false);
  const [deleting, setDeleting] = useState<ReportSchedule | null>(null);
  const list = useQuery(trpc.reportSchedules.list.queryOptions({ page }));
  const remove = useMutation(
    trpc.reportSchedules.remove.mutationOptions(useInvalidation(trpc.reportSchedules.pathFilter())),
  );
  const isMailless = list.data?.mailConfigured === false;
  const columns: Column<ReportSchedule>[] = [
    { header: "Report", cell: (s) => REPORT_LABEL[s.report] },
    { header: "Organization", cell: (s) => (s.orgId ? nameOf(s.orgId) : "All organizations"), width: 180 },
    {
      header: "Every",
      cell: (s) => `${EVERY[s.cadence]}, ${s.timeZone}${s.followsOrganization ? " (the organization's)" : ""}`,
      width: 200,
    },
    { header: "Last run", cell: LastRun, width: 200, minor: true },
    { header: "Next run", cell: (s) => <When at={s.nextRunAt} />, width: 180 },
    {
      header: "Actions",
      width: 100,
      align: "end",
      cell: (s) => (
        <RowButton label={`Delete the schedule of ${REPORT_LABEL[s.report]}`} onClick={() => setDeleting(s)}>
          Delete
        </RowButton>
      ),
    },
  ];
  return (
    <Section
      title="Reports by e-mail"
      lead="E-mailed to you, with a file of all rows. Each is recorded as an export."
      action={<Button onClick={() => setCreating(true)}>Schedule report</Button>}
      flush
    >
      {isMailless && (
        <div className={classes.flushed}>
          <Message tone="warn">
            This installation has no mail server, so no report is sent. Once it has one, the newest report is sent.
          </Message>
        </div>
      )}
      <PagedList
        query={list}
        what="the report schedules"
        empty={<Notice title="No scheduled reports">Schedule one to get it every week or month.</Notice>}
        onPage={setPage}
      >
        {(rows, isStale) => (
          <RecordTable
            caption="Reports by e-mail"
            columns={columns}
            rows={rows}
            rowKey={(s) => s.id}
            isStale={isStale}
          />
        )}
      </PagedList>
      {creating && <ScheduleDialog onClose={() => setCreating(false)} />}
      {deleting && (
        <Confirm
          title={`Delete the schedule of ${REPORT_LABEL[deleting.report]}`}
          action="Delete schedule"
          isBusy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate({ id: deleting.id }, { onSuccess: () => setDeleting(null) })}
          onClose={() => setDeleting(null)}
        >
          No further report is sent. Reports already sent stay in your mailbox.
        </Confirm>
      )}
    </Section>
  );
}

function LastRun({ lastRunAt, lastError }: ReportSchedule) {
  return (
    <div>
      <When at={lastRunAt} />
      {lastError && <div>Nothing was sent: {lastError}</div>}
    </div>
  );
}
