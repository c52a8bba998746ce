"use client";

import { Box } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import dynamic from "next/dynamic";
import { useState } from "react";
import { useOrg } from "@/components/account/org";
import { When } from "@/components/format/when";
import { useTRPC } from "@/components/trpc";
import { Message } from "@/components/ui/notice";
import { RecordSection, type RowAction } from "@/components/ui/record-section";
import { useInvalidation } from "@/components/use-invalidation";
import type { ReportSchedule } from "@/server/notify/report-schedules/schema";
import { REPORT_LABEL } from "@/server/notify/report-schedules/vocabulary";

const ScheduleDialog = dynamic(() => import("./schedule-dialog").then((m) => m.ScheduleDialog), { ssr: false });

const EVERY = { weekly: "Weekly", monthly: "Monthly" };

export function SchedulesSection() {
  const trpc = useTRPC();
  const { nameOf } = useOrg();
  const [page, setPage] = useState(1);
  const list = useQuery(trpc.reportSchedules.list.queryOptions({ page }));
  const remove = useMutation(
    trpc.reportSchedules.remove.mutationOptions(useInvalidation(trpc.reportSchedules.pathFilter())),
  );
  const actionsOf = ({ report }: ReportSchedule): RowAction[] => {
    const label = `Delete the schedule of ${REPORT_LABEL[report]}`;
    const text = "No further report is sent. Reports already sent stay in your mailbox.";
    return [{ verb: "Delete", label, confirm: { title: label, text, action: "Delete schedule", by: remove } }];
  };
  return (
    <RecordSection
      level="section"
      title="Reports by e-mail"
      lead="E-mailed to you, with a file of all rows. Each is recorded as an export."
      what="the report schedules"
      list={list}
      onPage={setPage}
      columns={[
        { header: "Report", cell: (s) => REPORT_LABEL[s.report] },
        { header: "Organization", cell: (s) => (s.orgId ? nameOf(s.orgId) : "All organizations"), width: 180 },
        {
          header: "Every",
          cell: (s) => `${EVERY[s.cadence]}, ${s.timeZone}${s.followsOrganization ? " (the organization's)" : ""}`,
          width: 200,
        },
        {
          header: "Last run",
          cell: (s) => <When at={s.lastRunAt} />,
          note: (s) => s.lastError && `Nothing was sent: ${s.lastError}`,
          width: 200,
          minor: true,
        },
        { header: "Next run", cell: (s) => <When at={s.nextRunAt} />, width: 180 },
      ]}
      actions={{ width: 100, of: actionsOf }}
      create={{ label: "Schedule report", dialog: (onClose) => <ScheduleDialog onClose={onClose} /> }}
      empty={{ title: "No scheduled reports", text: "Schedule one to get it every week or month." }}
    >
      {list.data?.mailConfigured === false && (
        <Box px="edge">
          <Message tone="warn">No mail server yet: reports start once one is set up.</Message>
        </Box>
      )}
    </RecordSection>
  );
}
