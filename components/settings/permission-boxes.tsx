import { Checkbox, type CheckboxGroupProps, Stack, Text } from "@mantine/core";
import { useMe } from "@/components/account/org";
import { PERMISSION_LABEL, PERMISSIONS } from "@/server/ground/permissions";

/** A key's permissions, limited to those of the user who creates or edits it. */
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
