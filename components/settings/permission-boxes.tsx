import { Checkbox, type CheckboxGroupProps, Stack, Text } from "@mantine/core";
import { useMe } from "@/components/account/org";
import type { Inputs } from "@/components/trpc";
import { PERMISSIONS } from "@/server/auth/permissions";

type Permission = Inputs["apiKeys"]["create"]["permissions"][number];

const PERMISSION_LABEL: Record<Permission, string> = {
  "audit:read": "Read the audit log",
  "audit:export": "Export the audit log",
  "audit:manage": "Change audit retention and webhooks",
  "audit:write": "Write audit entries",
  "devices:read": "Read devices and their logs",
  "devices:live": "Query live event logs",
  "custom_fields:read": "Read custom fields",
  "custom_fields:manage": "Change custom fields",
  "custom_fields:import": "Import custom fields",
  "organizations:manage": "Manage organizations",
  "users:manage": "Manage users",
  "api_keys:manage": "Manage API keys",
  "agents:enroll": "Enroll agents",
};

/** What a key may do: at most what the person who creates or edits it may. */
export function PermissionBoxes(field: Omit<CheckboxGroupProps, "children">) {
  const mine = useMe().permissions;
  const offered = PERMISSIONS.filter((p) => p === "audit:write" || mine.includes(p));
  return (
    <Checkbox.Group label="Permissions" {...field}>
      <Stack gap="sm" mt="sm">
        {offered.map((permission) => (
          <Checkbox
            key={permission}
            value={permission}
            label={
              <>
                {PERMISSION_LABEL[permission]}{" "}
                <Text span size="xs" c="dimmed" ff="monospace">
                  {permission}
                </Text>
              </>
            }
          />
        ))}
      </Stack>
    </Checkbox.Group>
  );
}
