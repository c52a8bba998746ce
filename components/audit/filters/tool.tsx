"use client";

import { Button, type ButtonProps } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { LucideIcon } from "lucide-react";
import type { ComponentPropsWithRef, ReactNode, Ref } from "react";
import { Popover } from "@/components/ui/popover/popover";

type ToolProps = ButtonProps & Omit<ComponentPropsWithRef<"button">, keyof ButtonProps> & { icon: LucideIcon };

/** A button of the toolbar. */
export const Tool = ({ icon: Icon, ...props }: ToolProps) => (
  <Button size="xs" variant="default" leftSection={<Icon size={15} aria-hidden />} {...props} />
);

type Props = {
  /** Subject of the menu. */
  name: string;
  /** The button's text, if it is a value. */
  value?: string;
  icon: LucideIcon;
  width: number;
  align?: "start" | "end";
  ref?: Ref<HTMLButtonElement>;
  children: (close: () => void) => ReactNode;
};

/** A button of the toolbar that opens a menu. */
export function ToolMenu({ name, value, icon, width, align = "start", ref, children }: Props) {
  const [opened, menu] = useDisclosure(false);
  return (
    <Popover opened={opened} onClose={menu.close} width={width} align={align}>
      <Popover.Target>
        <Tool icon={icon} onClick={menu.toggle} aria-label={value && `${name}: ${value}`} {...(ref && { ref })}>
          {value ?? name}
        </Tool>
      </Popover.Target>
      <Popover.Dropdown aria-label={name}>{children(menu.close)}</Popover.Dropdown>
    </Popover>
  );
}
