"use client";

import { NumberInput, Select } from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useOrg } from "@/components/account/org";
import { OrgSelect, useDefaultOrg } from "@/components/account/org-select";
import { useTRPC } from "@/components/trpc";
import { CopyLine } from "@/components/ui/dialogs/copy-line";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { SecretDialog } from "@/components/ui/dialogs/secret-dialog";
import { useForm } from "@/components/ui/dialogs/use-form";
import { useInvalidation } from "@/components/use-invalidation";
import { createInput } from "@/server/identity/enrollment-keys/schema";
import { EnrollDevice } from "./enroll-device";
import { expiryOf, LIFETIMES } from "./key";

/** Creates an enrollment key; shows it once, with the command that uses it. */
export function NewEnrollmentKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const { nameOf } = useOrg();
  const form = useForm({ orgId: useDefaultOrg(), maxUses: "", expiresAt: "7" });
  const create = useMutation(
    trpc.enrollmentKeys.create.mutationOptions(useInvalidation(trpc.enrollmentKeys.pathFilter())),
  );
  if (create.data) {
    const { key, orgId } = create.data;
    return (
      <SecretDialog title={`Enroll devices of ${nameOf(orgId)}`} onClose={onClose}>
        <CopyLine label="Enrollment key" value={key} note="Shown only once." />
        <EnrollDevice enrollmentKey={key} />
      </SecretDialog>
    );
  }
  return (
    <FormDialog
      form={form}
      title="New enrollment key"
      action="Create key"
      onSubmit={({ orgId, maxUses, expiresAt }) =>
        form.send(createInput, create, {
          orgId,
          maxUses: maxUses === "" ? null : maxUses,
          expiresAt: expiryOf(expiresAt),
        })
      }
      onClose={onClose}
    >
      <OrgSelect {...form.field("orgId")} data-autofocus />
      <NumberInput
        label="Devices"
        description="How many can join with it. Leave empty for any number."
        allowDecimal={false}
        allowNegative={false}
        {...form.field("maxUses")}
      />
      <Select label="Expires after" data={LIFETIMES} {...form.field("expiresAt")} />
    </FormDialog>
  );
}
