"use client";

import { ActionIcon, type MantineColorScheme, Menu, useMantineColorScheme } from "@mantine/core";
import { Check, Monitor, Moon, Sun } from "lucide-react";
import classes from "./menu.module.css";

const schemes: { value: MantineColorScheme; label: string; icon: typeof Sun }[] = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "auto", label: "As the system", icon: Monitor },
];

/** Light, dark, or what the system says. */
export function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  return (
    <Menu position="bottom-end" width={180}>
      <Menu.Target>
        <ActionIcon size={32} aria-label="Colour scheme">
          <Sun size={17} strokeWidth={1.75} className={classes.light} aria-hidden />
          <Moon size={17} strokeWidth={1.75} className={classes.dark} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        {schemes.map(({ value, label, icon: Icon }) => (
          <Menu.Item
            key={value}
            role="menuitemradio"
            aria-checked={colorScheme === value}
            leftSection={<Icon size={15} aria-hidden />}
            rightSection={colorScheme === value ? <Check size={15} aria-hidden /> : null}
            onClick={() => setColorScheme(value)}
          >
            {label}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
