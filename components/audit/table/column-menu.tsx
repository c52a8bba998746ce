"use client";

import { ActionIcon } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { Columns3 } from "lucide-react";
import dynamic from "next/dynamic";
import classes from "@/components/audit/filters/menus.module.css";
import { Popover } from "@/components/ui/popover/popover";
import { PopoverSkeleton } from "@/components/ui/popover/popover-skeleton";

const ColumnChooser = dynamic(() => import("./column-chooser").then((m) => m.ColumnChooser), {
  ssr: false,
  loading: PopoverSkeleton,
});

/** Columns, their order, and row density. */
export function ColumnMenu() {
  const [opened, menu] = useDisclosure(false);
  return (
    <Popover opened={opened} onClose={menu.close} width={300} align="end">
      <Popover.Target>
        <ActionIcon size={36} variant="default" aria-label="Columns" title="Columns" onClick={menu.toggle}>
          <Columns3 size={15} aria-hidden />
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown className={classes.dropdown} aria-label="Columns">
        <ColumnChooser />
      </Popover.Dropdown>
    </Popover>
  );
}
