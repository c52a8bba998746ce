"use client";

import { Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useDefaultOrg } from "@/components/account/org-select";
import { useZone, zoneChoices } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { createInput } from "@/server/notify/report-schedules/schema";
import { REPORT_LABEL, REPORTS } from "@/server/notify/report-schedules/vocabulary";

const CADENCES = [
  { value: "weekly", label: "Every Monday, for the previous week" },
  { value: "monthly", label: "On the first of each month, for the previous month" },
];

/** The option for the organization's own time zone; in requests it is expressed by omitting the zone. */
const OWN = "organization";

export function ScheduleDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const { local } = useZone();
  const isPartner = !useMe().user.role.startsWith("org_");
  const form = useForm({
    report: "activity",
    cadence: "weekly",
    timeZone: OWN,
    orgId: useDefaultOrg({ withAll: true }),
  });
  const create = useMutation(
    trpc.reportSchedules.create.mutationOptions(useDone(onClose, trpc.reportSchedules.pathFilter())),
  );
  return (
    <FormDialog
      form={form}
      title="Schedule report"
      action="Schedule report"
      onSubmit={({ orgId, timeZone, ...rest }) =>
        form.send(createInput, create, { ...rest, timeZone: timeZone === OWN ? null : timeZone, orgId: toOrgId(orgId) })
      }
      onClose={onClose}
    >
      <Select
        label="Report"
        data={REPORTS.map((value) => ({ value, label: REPORT_LABEL[value] }))}
        allowDeselect={false}
        {...form.field("report")}
        data-autofocus
      />
      <OrgSelect withAll={isPartner} {...form.field("orgId")} />
      <Select label="When" data={CADENCES} allowDeselect={false} {...form.field("cadence")} />
      <Select
        label="Time zone"
        description="Defines where weeks and months begin; the report is sent at 06:00 in this zone"
        data={[
          { value: OWN, label: "The organization's, or UTC" },
          { value: local, label: `Mine (${local})` },
          ...zoneChoices().filter((zone) => zone !== local),
        ]}
        searchable
        allowDeselect={false}
        {...form.field("timeZone")}
      />
    </FormDialog>
  );
}
