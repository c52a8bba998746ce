"use client";

import { Button, Group, Modal, NumberInput, Select, Stack } from "@mantine/core";
import { useMutation, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { useOrg } from "@/components/frame/org";
import { useTRPC } from "@/components/trpc";
import { FormDialog } from "@/components/ui/dialogs/form-dialog";
import { formErrors } from "@/components/ui/dialogs/form-errors";
import { CopyLine } from "@/components/ui/dialogs/secret";
import { MAX_ENROLLMENT_USES } from "@/server/enrollment-keys/schema";
import { expiryOf, LIFETIMES } from "./key-state";

/** Makes an enrollment key; shows it this once, with the command that uses it. */
export function NewEnrollmentKey({ onClose }: { onClose: () => void }) {
  const trpc = useTRPC();
  const cache = useQueryClient();
  const { orgId, organizations, nameOf } = useOrg();
  const [org, setOrg] = useState<string | null>(orgId ?? organizations[0]?.id ?? null);
  const [life, setLife] = useState("7");
  const [uses, setUses] = useState<string | number>("");
  const create = useMutation(
    trpc.enrollmentKeys.create.mutationOptions({
      onSuccess: () => cache.invalidateQueries(trpc.enrollmentKeys.pathFilter()),
    }),
  );
  const errors = formErrors(create.error, ["orgId", "maxUses", "expiresAt"]);
  if (create.data) {
    const { key } = create.data;
    return (
      <Modal
        opened
        onClose={onClose}
        title={`Enroll devices of ${nameOf(create.data.orgId)}`}
        closeOnClickOutside={false}
      >
        <Stack gap="lg">
          <CopyLine label="Enrollment key" value={key} note="Shown this once." />
          <CopyLine
            label="On the device"
            value={`npm run agent -- --url ${window.location.origin} --enrollment-key ${key}`}
            note="Enrolls the machine, ships its logs and answers live queries while it runs."
          />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      </Modal>
    );
  }
  const save = () =>
    create.mutate({ orgId: org ?? undefined, maxUses: uses === "" ? null : Number(uses), expiresAt: expiryOf(life) });
  return (
    <FormDialog
      opened
      title="New enrollment key"
      submit="Make key"
      isBusy={create.isPending}
      error={errors.general}
      onSubmit={save}
      onClose={onClose}
    >
      {organizations.length > 1 && (
        <Select
          label="Organization"
          data={organizations.map((o) => ({ value: o.id, label: o.name }))}
          value={org}
          onChange={setOrg}
          allowDeselect={false}
          searchable
          error={errors.of("orgId")}
          data-autofocus
        />
      )}
      <NumberInput
        label="Devices"
        description="How many may join with it; empty for any number"
        value={uses}
        onChange={setUses}
        min={1}
        max={MAX_ENROLLMENT_USES}
        allowDecimal={false}
        allowNegative={false}
        error={errors.of("maxUses")}
      />
      <Select
        label="Expires after"
        data={LIFETIMES}
        value={life}
        onChange={(value) => value && setLife(value)}
        allowDeselect={false}
        error={errors.of("expiresAt")}
      />
    </FormDialog>
  );
}
