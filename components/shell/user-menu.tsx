"use client";

import { Menu, Text, UnstyledButton } from "@mantine/core";
import { LogOut } from "lucide-react";
import { ROLE_LABEL } from "../account/roles";
import classes from "./menu.module.css";
import { useMe } from "./org";

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? "")
    .join("");

async function leave() {
  const { signOut } = await import("next-auth/react");
  await signOut({ callbackUrl: "/login" });
}

/** Who is signed in, and the way out. */
export function UserMenu() {
  const { user } = useMe();
  return (
    <Menu position="bottom-end" width={240}>
      <Menu.Target>
        <UnstyledButton className={classes.trigger} aria-label={`Account of ${user.name}`}>
          <span className={classes.avatar} aria-hidden>
            {initials(user.name || user.email)}
          </span>
        </UnstyledButton>
      </Menu.Target>
      <Menu.Dropdown>
        <div className={classes.who}>
          <Text fw={600} truncate>
            {user.name}
          </Text>
          <Text size="sm" c="dimmed" truncate>
            {user.email}
          </Text>
          <Text size="sm" c="dimmed">
            {ROLE_LABEL[user.role] ?? user.role}
          </Text>
        </div>
        <Menu.Divider />
        <Menu.Item leftSection={<LogOut size={15} aria-hidden />} onClick={leave}>
          Sign out
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
