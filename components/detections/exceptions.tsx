"use client";

import { Select, Text, TextInput } from "@mantine/core";
import { useMutation, useQuery } from "@tanstack/react-query";
import { useCan } from "@/components/account/org";
import { When } from "@/components/format/when";
import { expiryOf, LIFETIMES } from "@/components/settings/key";
import { type Outputs, useTRPC } from "@/components/trpc";
import { FormDialog, useDone } from "@/components/ui/dialogs/form-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { Message, readErrorText } from "@/components/ui/notice";
import { RowButton } from "@/components/ui/record-table";
import { useInvalidation } from "@/components/use-invalidation";
import { createExceptionInput } from "@/server/detections/schema";

type Story = Outputs["detections"]["alert"];

/** Option for the whole organization, besides fields. */
const EVERYTHING = "all";

/** Distinguishing fields of an alert's last entry. */
function fieldsOf({ story, organization }: Story) {
  const entry = story.at(-1);
  const fields: [field: string, noun: string, value: string | null | undefined][] = [
    ["user.email", "person", entry?.user.email],
    ["user.name", "actor", entry?.user.email ? null : entry?.user.name],
    ["device", "device", entry?.resource.type === "device" ? entry.resource.name : null],
    ["ipAddress", "address", entry?.ipAddress],
  ];
  const choices = fields.flatMap(([field, noun, value]) =>
    value ? [{ field, value, label: `${value} (${noun})` }] : [],
  );
  return [...choices, { field: EVERYTHING, value: "", label: `All entries of ${organization}` }];
}

/** Adds an exception for a person, device, address or organization to an alert's rule. */
export function ExceptionDialog({ alert, onClose }: { alert: Story; onClose: () => void }) {
  const trpc = useTRPC();
  const choices = fieldsOf(alert);
  const create = useMutation(
    trpc.detections.createException.mutationOptions(useDone(onClose, trpc.detections.pathFilter())),
  );
  const form = useForm({ fields: choices[0]?.field ?? EVERYTHING, reason: "", expiresAt: "30" });
  const save = ({ fields: field, reason, expiresAt }: typeof form.values) => {
    const chosen = choices.find((choice) => choice.field === field);
    return form.send(createExceptionInput, create, {
      ...{ ruleId: alert.ruleId, orgId: alert.orgId, reason, expiresAt: expiryOf(expiresAt) },
      fields: chosen && chosen.field !== EVERYTHING ? { [chosen.field]: chosen.value } : {},
    });
  };
  return (
    <FormDialog
      form={form}
      title={`Exception for ${alert.title}`}
      action="Add exception"
      onSubmit={save}
      onClose={onClose}
    >
      <Text size="sm">Until it expires, the rule raises no alert for these entries in {alert.organization}.</Text>
      <Select
        label="Entries of"
        data={choices.map(({ field, label }) => ({ value: field, label }))}
        allowDeselect={false}
        {...form.field("fields")}
      />
      <TextInput label="Reason" required {...form.field("reason")} />
      <Select label="Expires after" data={LIFETIMES} allowDeselect={false} {...form.field("expiresAt")} />
    </FormDialog>
  );
}

/** Exceptions of a rule; renders nothing if there are none. */
export function Exceptions({ ruleId }: { ruleId: string }) {
  const trpc = useTRPC();
  const mayChange = useCan("detections:manage");
  const { data, error } = useQuery(trpc.detections.exceptions.queryOptions({ ruleId, limit: 100 }));
  const remove = useMutation(
    trpc.detections.removeException.mutationOptions(useInvalidation(trpc.detections.pathFilter())),
  );
  const failure = error ?? remove.error;
  if (failure) return <Message tone="bad">{readErrorText(failure)}</Message>;
  if (!data || data.data.length === 0) return null;
  return (
    <section aria-label="Exceptions">
      <Text fw={600}>Exceptions</Text>
      <ul style={{ margin: 0, paddingInlineStart: 20, overflowWrap: "anywhere" }}>
        {data.data.map(({ id, fields, reason, expiresAt, createdByName }) => {
          const what =
            Object.entries(fields)
              .map(([field, value]) => `${field} ${value}`)
              .join(", ") || "All entries";
          return (
            <li key={id}>
              {what}: {reason} ({createdByName},{" "}
              {expiresAt ? (
                <>
                  until <When at={expiresAt} />
                </>
              ) : (
                "no expiry"
              )}
              ){" "}
              {mayChange && (
                <RowButton label={`Remove the exception ${what}`} onClick={() => remove.mutate({ id })}>
                  Remove
                </RowButton>
              )}
            </li>
          );
        })}
      </ul>
    </section>
  );
}
