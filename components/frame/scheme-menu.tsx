"use client";

import { ActionIcon, type MantineColorScheme, UnstyledButton, useMantineColorScheme } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Check, Monitor, Moon, Sun } from "lucide-react";
import { Popover } from "@/components/ui/popover/popover";
import classes from "./menu.module.css";

const schemes: { value: MantineColorScheme; label: string; icon: typeof Sun }[] = [
  { value: "light", label: "Light", icon: Sun },
  { value: "dark", label: "Dark", icon: Moon },
  { value: "auto", label: "Same as system", icon: Monitor },
];

export function SchemeMenu() {
  const { colorScheme, setColorScheme } = useMantineColorScheme();
  const [opened, menu] = useDisclosure(false);
  const pick = (value: MantineColorScheme) => {
    setColorScheme(value);
    menu.close();
  };
  return (
    <Popover opened={opened} onClose={menu.close} align="end" width={180}>
      <Popover.Target>
        <ActionIcon size={32} aria-label="Color scheme" onClick={menu.toggle}>
          <Sun size={17} strokeWidth={1.75} className={classes.light} aria-hidden />
          <Moon size={17} strokeWidth={1.75} className={classes.dark} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown aria-label="Color scheme" className={classes.account}>
        {schemes.map(({ value, label, icon: Icon }) => (
          <UnstyledButton
            key={value}
            className="tm-option"
            aria-pressed={colorScheme === value}
            onClick={() => pick(value)}
          >
            <Icon size={15} color="currentColor" aria-hidden />
            {label}
            {colorScheme === value && <Check size={15} style={{ marginLeft: "auto" }} aria-hidden />}
          </UnstyledButton>
        ))}
      </Popover.Dropdown>
    </Popover>
  );
}
