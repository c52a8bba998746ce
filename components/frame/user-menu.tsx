"use client";

import { ActionIcon, Box, Button, type ButtonProps, createPolymorphicComponent, Kbd, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Keyboard, LogOut, type LucideIcon } from "lucide-react";
import dynamic from "next/dynamic";
import Link from "next/link";
import { useState } from "react";
import { useMe } from "@/components/account/org";
import { roleName } from "@/components/account/roles";
import { accountItem, isVisibleTo, startItem } from "@/components/nav-items";
import { Popover } from "@/components/ui/popover/popover";
import classes from "./menu.module.css";

const KeyMap = dynamic(() => import("./key-map").then((m) => m.KeyMap), { ssr: false });

const initials = (name: string) =>
  name
    .split(/\s+/)
    .slice(0, 2)
    .map((word) => word[0]?.toUpperCase() ?? "")
    .join("");

async function onSignOut() {
  const { signOut } = await import("next-auth/react");
  await signOut({ callbackUrl: "/login" });
}

const Item = createPolymorphicComponent<"button", ButtonProps & { icon: LucideIcon }>(
  ({ icon: Icon, ...props }: ButtonProps & { icon: LucideIcon }) => (
    <Button
      variant="subtle"
      color="gray"
      justify="flex-start"
      fullWidth
      leftSection={<Icon size={15} aria-hidden />}
      {...props}
    />
  ),
);

export function UserMenu() {
  const me = useMe();
  const { user } = me;
  const [opened, menu] = useDisclosure(false);
  const [isHelpOpen, setIsHelpOpen] = useState(false);
  return (
    <Popover opened={opened} onClose={menu.close} align="end" width={240}>
      <Popover.Target>
        <ActionIcon
          size={32}
          radius="50%"
          aria-label={`Account of ${user.name}, ${initials(user.name || user.email)}`}
          onClick={menu.toggle}
        >
          <span className={classes.avatar} aria-hidden>
            {initials(user.name || user.email)}
          </span>
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Account" className={classes.account}>
        <Box p="8px 12px 12px">
          <Text fw={600} truncate>
            {user.name}
          </Text>
          <Text size="sm" c="dimmed" truncate>
            {user.email}
          </Text>
          <Text size="sm" c="dimmed">
            {roleName(user.role)}
          </Text>
        </Box>
        {[accountItem, startItem]
          .filter((item) => isVisibleTo(item, me))
          .map(({ href, label, icon: Icon }) => (
            <Item key={href} icon={Icon} component={Link} href={href} onClick={menu.close}>
              {label}
            </Item>
          ))}
        <Item
          icon={Keyboard}
          rightSection={<Kbd size="xs">?</Kbd>}
          aria-keyshortcuts="?"
          onClick={() => {
            menu.close();
            setIsHelpOpen(true);
          }}
        >
          Keyboard shortcuts
        </Item>
        <Item icon={LogOut} onClick={onSignOut}>
          Sign out
        </Item>
      </Popover.Dropdown>
      {isHelpOpen && <KeyMap onClose={() => setIsHelpOpen(false)} />}
    </Popover>
  );
}
