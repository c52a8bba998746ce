"use client";

import { Select, TextInput } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useMe } from "@/components/account/org";
import { OrgSelect, toOrgId, useFirstOrg } from "@/components/account/org-select";
import { useZone } from "@/components/format/zone";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { createInput, REPORT_LABEL, REPORTS } from "@/server/report-schedules/schema";

const CADENCES = [
  { value: "weekly", label: "Every Monday, of the week before" },
  { value: "monthly", label: "On the first of each month, of the month before" },
];

/** Has a report mailed again and again. */
export function ScheduleDialog({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { local } = useZone();
  const isPartner = !useMe().user.role.startsWith("org_");
  const form = useForm({
    report: "activity",
    cadence: "weekly",
    timeZone: local,
    orgId: useFirstOrg({ withAll: true }),
  });
  const create = useMutation(
    trpc.reportSchedules.create.mutationOptions({
      onSuccess: async () => {
        await cache.invalidateQueries(trpc.reportSchedules.pathFilter());
        onClose();
      },
    }),
  );
  return (
    <FormDialog
      form={form}
      title="Schedule report"
      action="Schedule report"
      onSubmit={({ orgId, ...rest }) => form.send(createInput, create, { ...rest, orgId: toOrgId(orgId) })}
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
      <TextInput
        label="Time zone"
        description="Whose weeks and months are meant, such as Europe/Paris; it is sent at six in the morning there"
        required
        {...form.field("timeZone")}
      />
    </FormDialog>
  );
}
