"use client";

import { MultiSelect, Radio, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { useMe, useOrg } from "@/components/account/org";

type Props = { value?: string[] | null; onChange?: (value: string[] | null) => void; error?: ReactNode };

/**
 * A partner user's access: all organizations, including future ones (null), or selected ones. Users can only grant
 * access that they have themselves.
 */
export function AccessSelect({ value = null, onChange, error }: Props) {
  const { allOrganizations } = useMe();
  const { organizations } = useOrg();
  const isAll = value === null;
  return (
    <Stack gap="sm">
      <Radio.Group
        label="Access"
        value={isAll ? "all" : "chosen"}
        onChange={(choice) => onChange?.(choice === "all" ? null : [])}
      >
        <Stack gap="xs" mt="xs">
          {(allOrganizations || isAll) && <Radio value="all" label="All organizations, including new ones" />}
          <Radio value="chosen" label="Chosen organizations" />
        </Stack>
      </Radio.Group>
      {!isAll && (
        <MultiSelect
          label="Organizations"
          placeholder={value.length === 0 ? "Choose at least one" : undefined}
          data={organizations.map((o) => ({ value: o.id, label: o.name }))}
          value={value}
          onChange={onChange}
          error={error}
          searchable
          hidePickedOptions
        />
      )}
    </Stack>
  );
}
